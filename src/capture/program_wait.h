// Waits for the program's first process as a shell would, passing on the signals that are sent to memswell for it.
#pragma once

#include <sys/types.h>

#include "base/ids.h"

namespace memswell::capture {

// From its construction on: SIGINT and SIGQUIT, which the terminal sends to the program itself, are ignored; SIGTERM,
// SIGHUP, SIGUSR1 and SIGUSR2 are sent on to the program, unless the kernel has sent them to everybody.
class SignalRelay {
 public:
  explicit SignalRelay(pid_t program);
  ~SignalRelay();
  SignalRelay(const SignalRelay&) = delete;
  SignalRelay& operator=(const SignalRelay&) = delete;
};

struct ProgramEnd {
  int wait_status = 0;    // as wait(2) gives it
  Bytes max_rss_bytes = 0;  // ru_maxrss of it and the children that it has collected
};

// Returns when the program has ended; it stays a zombie, so that its pid stays its own until collect_program(). If the
// terminal's job control stops the program, this process stops with it.
ProgramEnd wait_for_program(pid_t program);
void collect_program(pid_t program);

}  // namespace memswell::capture
