// The program that a command names, and whether it can be recorded.
#pragma once

#include <string>

#include "base/result.h"

namespace memswell::capture {

struct ProgramFile {
  std::string path;
  std::string probe;   // to preload into it and into what it starts; empty: neither can bear it
  std::string reason;  // one sentence, if its allocations will not be recorded, or not all
  bool sampled_only = false;
};

// Errors: not found (127), not executable (126).
Result<ProgramFile> find_program_file(const std::string& name);

// PREFIX/lib/memswell/libmemswell.so, next to PREFIX/bin/memswell that runs now. Errors: it is missing, or its path holds a
// space or colon, which the loader takes for the end of it (ld.so(8), LD_PRELOAD).
Result<std::string> find_probe();

}  // namespace memswell::capture
