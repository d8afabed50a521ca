// Where reports go: stdout is the report, stderr the talk.
#pragma once

#include <string_view>

#include "base/result.h"
#include "report/terminal.h"

namespace memswell::cli {

// Width and colours of the two streams: colours only on a terminal that is not dumb and without NO_COLOR.
report::Terminal standard_output();
report::Terminal standard_error();
void switch_colours_off();  // --no-color

// Writes a report to stdout and gives exit code 0. A reader that has gone away (head) is no error. Errors
// (own_failure): stdout cannot be written.
Result<int> print(std::string_view text);

// Writes talk to stderr as it is; failures are not reported, there is nowhere to.
void tell(std::string_view text);

// print(), or into `path` if that is not empty; an existing file is replaced only with `force`.
Result<int> print_to(const std::string& path, bool force, std::string_view text);

}  // namespace memswell::cli
