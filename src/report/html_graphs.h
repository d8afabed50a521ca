// The pictures of the HTML report, as SVG inside of it: no script, nothing from elsewhere.
#pragma once

#include <string>

#include "analysis/model.h"

namespace memswell::report {

// RSS and requested bytes over time, phases as bands; empty if there are fewer than two readings.
std::string html_timeline(const analysis::ProcessReport& process);

// What was live at the peak by stacks, outermost at the top, width by bytes; empty if nothing was.
std::string html_flame_graph(const analysis::RunReport& run, const analysis::ProcessReport& process);

// One bar, its parts the owners of resident bytes.
std::string html_ledger_bar(const analysis::LedgerSnapshot& snapshot);

}  // namespace memswell::report
