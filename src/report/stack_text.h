// Stacks from the table of a recording, innermost frame first, inlined levels as lines of their own.
#pragma once

#include <string>
#include <vector>

#include "analysis/stack_model.h"
#include "report/terminal.h"

namespace memswell::report {

// One line a level, `indent` spaces before each.
std::string stack_text(const analysis::StackTable& stacks, StackId stack, const Terminal& terminal, std::size_t indent);

// Function names outermost first, for flame graphs; plumbing at the innermost end is left out.
std::vector<std::string> stack_names(const analysis::StackTable& stacks, StackId stack);

}  // namespace memswell::report
