// Finds a running process by its name, for `watch --name`.
#pragma once

#include <cstdint>
#include <string>

#include "base/result.h"

namespace memswell::cli {

// `name` is the command name of the kernel (comm, 15 characters) or the file name of the executable. memswell itself is
// left out. Errors (own_failure): no such process, or several: the sentence lists their pids.
Result<std::int32_t> process_by_name(const std::string& name);

}  // namespace memswell::cli
