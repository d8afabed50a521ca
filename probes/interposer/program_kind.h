// Will a program that is about to be executed bear the preload? Looks at the file the way the kernel and the loader will.
// Static programs ignore it, musl's loader ends with 127, sanitizers abort, privileged programs must not get it.
#pragma once

#include "trace/format.h"

namespace memswell::probe {

// `path` as given to execve; scripts are followed to their interpreter. System calls only, no allocation.
format::ExecNote inspect_program(const char* path);

// As inspect_program, for a name that execvp looks up in PATH.
format::ExecNote inspect_program_in_path(const char* file, const char* search_path);

}  // namespace memswell::probe
