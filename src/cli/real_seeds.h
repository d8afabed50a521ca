// The questions of the workloads put to real interpreters: the scripts of workloads/real under memswell.
#pragma once

#include <string>

#include "base/result.h"

namespace memswell::cli {

// Prints what the scripts print and the table of their recordings, which go into `directory`. An interpreter that is not
// installed is said and left out. Errors: a script fails, or cannot be recorded.
Result<int> run_real_seeds(const std::string& directory, bool json);

}  // namespace memswell::cli
