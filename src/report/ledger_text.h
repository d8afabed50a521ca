// The ledger as text: every resident byte and its owner.
#pragma once

#include <string>

#include "analysis/model.h"
#include "report/terminal.h"

namespace memswell::report {

// At the peak and at the end in two columns, rows that are zero in both left out; for the summary after `run`. Works
// with what is there: without snapshots the measured totals only.
std::string two_column_ledger(const analysis::ProcessReport& process, const Terminal& terminal);

// One snapshot: each row with its share and the expert's word, then the self-check of the sum in plain words.
std::string full_ledger(const analysis::ProcessReport& process, const analysis::LedgerSnapshot& snapshot,
                        const Terminal& terminal);

// "beside it: 50.0 MiB never touched, …": memory that is not in the sum; empty if there is none worth a word.
std::string beside_text(const analysis::ProcessReport& process, const analysis::LedgerSnapshot& snapshot);

}  // namespace memswell::report
