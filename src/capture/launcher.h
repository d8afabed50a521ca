// Starts the program: forked first, so that its pid is known, exec'd when the recorder is ready.
#pragma once

#include <signal.h>
#include <sys/types.h>

#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/unique_fd.h"

namespace memswell::capture {

struct Launch {
  std::vector<std::string> command;
  std::string probe;           // to preload; empty: nothing is
  std::string region_address;  // for MEMSWELL_REGION, if a probe is preloaded
  int stdout_fd = -1;          // to be the program's, -1: inherited
  int stderr_fd = -1;
};

// The environment of the program: ours with LD_PRELOAD=PROBE[:what was there] and MEMSWELL_REGION. The probe comes
// first, so that its hooks see what the program asks for, before other preloaded libraries do.
std::vector<std::string> program_environment(const Launch& launch);

class PendingProgram {
 public:
  // Forks. Until go() the child waits; if this object goes first, it ends without having run anything.
  static Result<PendingProgram> fork_program(const Launch& launch);

  pid_t pid() const { return pid_; }

  // Lets it exec. Error: exec of `name` failed (126, 127), and the child is collected.
  Result<void> go(const std::string& name);

 private:
  PendingProgram(pid_t pid, UniqueFd go, UniqueFd exec_error)
      : pid_(pid), go_(std::move(go)), exec_error_(std::move(exec_error)) {}

  pid_t pid_;
  UniqueFd go_;
  UniqueFd exec_error_;
};

}  // namespace memswell::capture
