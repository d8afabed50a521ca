// `compare`: several recordings side by side; then the ledger rows and the sites that changed most.
#pragma once

#include <string>
#include <vector>

#include "analysis/model.h"
#include "report/bench_table.h"
#include "report/json_writer.h"
#include "report/terminal.h"

namespace memswell::report {

struct ComparedRun {
  std::string label;
  const analysis::RunReport* run = nullptr;  // not owned
};

// The first label is the reference; runs with one label are repetitions and make one column of medians and spreads.
// Figures are those of each run's process with the largest peak RSS; calls and allocated bytes are sums over all.
std::string comparison(const std::vector<ComparedRun>& runs, const Terminal& terminal);
std::string comparison_json(const std::vector<ComparedRun>& runs);

// Parts of the above, for tables of other makers: the labels without repetition, the rows, and the figures as members of
// the open JSON object.
std::vector<std::string> columns_of(const std::vector<ComparedRun>& runs);
std::vector<BenchRow> comparison_rows(const std::vector<ComparedRun>& runs);
void write_figures(JsonWriter& json, const analysis::RunReport& run);
Facts facts_of(const analysis::RunReport& run);

}  // namespace memswell::report
