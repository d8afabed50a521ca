// A call tree as text: values and shares on the left, calls as indentation. The only callee (or
// caller) of a line stays in its column, after an arrow.
#pragma once

#include <string>

#include "analysis/call_tree.h"
#include "report/terminal.h"

namespace memswell::report {

// The `top` largest branches of the root, below them everything worth at least 1 % of the total.
std::string call_tree_text(const analysis::RunReport& run, const analysis::ProcessReport& process, analysis::Cost cost,
                           analysis::Direction direction, std::size_t top, const Terminal& terminal);

}  // namespace memswell::report
