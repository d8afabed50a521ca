// A process as it is found: its handles, which no other process can slip into, and what it is.
#pragma once

#include <sys/types.h>

#include <memory>
#include <string>
#include <vector>

#include "base/unique_fd.h"
#include "probes/smaps/linux_sampler.h"

namespace memswell::capture {

struct OpenedProcess {
  pid_t pid = 0;
  UniqueFd pidfd;                                  // none: it is gone
  std::unique_ptr<smaps::LinuxSampler> sampler;    // null: likewise
  std::string executable;                          // empty: unknown
  std::vector<std::string> command;
  std::uint32_t parent_pid = 0;
};

OpenedProcess open_process(pid_t pid);

// Target of /proc/PID/exe; empty if the process is gone or may not be looked into.
std::string read_executable(pid_t pid);

}  // namespace memswell::capture
