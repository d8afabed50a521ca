// Reading a module's unwind tables makes their pages resident, which the program itself would do only to throw: 3 MiB in
// node. They are clean pages of files, so they can be let go again at once.
#pragma once

#include "call_frame_info.h"

namespace memswell::probe {

// The tables of this module were read just now. Every few dozen times the pages are let go.
void touched_unwind_tables(const ModuleOfPc& module);

// Lets go of all pages that reading unwind tables made resident. Called before a snapshot.
void drop_unwind_tables();

// The modules are no longer the same: what is known of their tables may be wrong.
void forget_unwind_tables();

}  // namespace memswell::probe
