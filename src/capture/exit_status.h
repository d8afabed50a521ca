// How processes end, as the kernel tells somebody who is not their parent.
#pragma once

#include <sys/types.h>

#include <cstdint>

#include "base/unique_fd.h"
#include "trace/events.h"

namespace memswell::capture {

struct ExitStatus {
  trace::EndReason reason = trace::EndReason::unknown;
  std::int32_t code = -1;
  std::int32_t signal = 0;
};

// Of a status as wait(2) gives it.
ExitStatus exit_status_of(int wait_status);

// Of a process that has ended: from its pidfd once it was collected (PIDFD_GET_INFO, Linux 6.15), from /proc/PID/stat
// before. `unknown` where neither tells.
ExitStatus read_exit_status(const UniqueFd& pidfd, pid_t pid);

bool has_ended(const UniqueFd& pidfd);  // pidfd_open(2): readable at the end
bool is_running(pid_t pid);             // false: no such process, or a zombie
bool is_zombie(pid_t pid);              // has ended, not yet collected by its parent

}  // namespace memswell::capture
