// The report as one HTML file: footprint over time, ledgers, findings, phases, sites and a flame graph of the peak.
// Self-contained and without scripts: it opens from a file, and its own policy forbids it everything else.
#pragma once

#include <string>

#include "analysis/model.h"
#include "report/selection.h"

namespace memswell::report {

std::string html_report(const analysis::RunReport& run, const ProcessChoice& choice);

}  // namespace memswell::report
