// The name of a recording and its making.
#pragma once

#include <cstdint>
#include <string>

#include "base/result.h"
#include "base/unique_fd.h"

namespace memswell::capture {

// `pattern` with %p = pid, %e = the program's file name, %% = a percent sign; empty: memswell.%e.%p.swell. Another letter
// after % is an error (ExitCode::usage).
Result<std::string> expand_output_name(const std::string& pattern, const std::string& program, std::uint32_t pid);

enum class Overwrite : std::uint8_t { no, yes };

// Opens a new, empty file for writing. Errors say why and what to do; an existing file is one unless `overwrite`. A
// device or pipe that exists is written to as it is.
Result<UniqueFd> create_output_file(const std::string& path, Overwrite overwrite);

}  // namespace memswell::capture
