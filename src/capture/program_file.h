// The file that a command names, found as execvp(3) finds it, and the probe that belongs to this build of memswell.
#pragma once

#include <string>

#include "base/result.h"

namespace memswell::capture {

// Path of the program. Errors: not found (127), found but not executable (126).
Result<std::string> find_program(const std::string& name);

// PREFIX/lib/memswell/libmemswell.so, next to PREFIX/bin/memswell that runs now. Errors: it is missing, or its path holds a
// space or colon, which the loader takes for the end of it (ld.so(8), LD_PRELOAD).
Result<std::string> find_probe();

}  // namespace memswell::capture
