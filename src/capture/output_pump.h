// Passes the program's output on while looking for lines that begin a phase. A process of its own: descendants of the program
// may write after `memswell run` has returned. It ends with the last writer, as the streams would without it.
//
//   program ── pipe ──► pump ──► the caller's stdout, stderr      bytes pass at once, unchanged
//                         └────► recorder: Message::phase
#pragma once

#include <string>

#include "base/unique_fd.h"
#include "capture/control_channel.h"

namespace memswell::capture {

struct PumpSetup {
  UniqueFd out;             // read ends of the program's pipes
  UniqueFd err;
  ControlChannel recorder;
  ControlChannel launcher;  // asks by first_ended; answered by flushed when all that was written before is passed on
  std::string pattern;      // compiles
};

// Becomes the pump: passes on until both streams are closed, and exits. Call it in a fresh child.
[[noreturn]] void run_output_pump(PumpSetup setup);

}  // namespace memswell::capture
