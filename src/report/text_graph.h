// The curve of the footprint as a graph of characters: what is live in full blocks, the rest of RSS in light ones.
#pragma once

#include <string>

#include "analysis/model.h"
#include "report/terminal.h"

namespace memswell::report {

// `height` rows of bars as wide as the terminal, an axis with times and, below it, where phases begin. Empty if there is
// no row with a resident size.
std::string text_graph(const analysis::ProcessReport& process, const Terminal& terminal, std::size_t height = 12);

}  // namespace memswell::report
