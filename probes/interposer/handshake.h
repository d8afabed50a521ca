// Moments at which the program waits for the recorder, so that a snapshot is taken before memory changes: a phase
// boundary, the end of the process, a large release at a new height. Bounded: a recorder that is stopped or gone costs a second, once.
#pragma once

#include "thread.h"

namespace memswell::probe {

void wait_for_snapshot(ThreadState& thread);

}  // namespace memswell::probe
