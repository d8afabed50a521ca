// Who a process is: its executable, command line and name, and the start time that tells it from a later process with
// the same pid.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/unique_fd.h"
#include "probes/smaps/process_files.h"

namespace memswell::smaps {

struct ProcessIdentity {
  std::int32_t pid = 0;
  std::int32_t ppid = 0;
  std::uint64_t start_time_ticks = 0;  // since boot (stat_parser.h)
  std::string comm;
  std::string executable;            // target of /proc/PID/exe; empty: a kernel thread, a zombie, or not permitted
  std::vector<std::string> command;  // empty for kernel threads and zombies; a program may have overwritten it
};

// nullopt: the process is gone.
Result<std::optional<ProcessIdentity>> identify(const ProcessFiles& files);

// The arguments of /proc/PID/cmdline, each ended by a zero. A last one without it is kept.
std::vector<std::string> parse_command_line(std::string_view text);

// False: gone, a zombie, or another process has the pid now (pass 0 for a start time that is not known).
bool is_alive(std::int32_t pid, std::uint64_t start_time_ticks);

// A descriptor that becomes readable when the process ends (pidfd_open(2), Linux 5.3). Not open: the process is gone or
// the kernel cannot.
UniqueFd open_pidfd(std::int32_t pid);

}  // namespace memswell::smaps
