// `compare`: several recordings side by side; then the ledger rows and the sites that changed most.
#pragma once

#include <string>
#include <vector>

#include "analysis/model.h"
#include "report/bench_table.h"
#include "report/terminal.h"

namespace memswell::report {

struct ComparedRun {
  std::string label;
  const analysis::RunReport* run = nullptr;  // not owned
};

// The first run is the reference. Figures are those of each run's process with the largest peak RSS; calls and
// allocated bytes are sums over all processes.
std::string comparison(const std::vector<ComparedRun>& runs, const Terminal& terminal);
std::string comparison_json(const std::vector<ComparedRun>& runs);

// The rows of the table above, for tables of other makers.
std::vector<BenchRow> comparison_rows(const std::vector<ComparedRun>& runs);
Facts facts_of(const analysis::RunReport& run);

}  // namespace memswell::report
