// One ledger snapshot as JSON. rows + own_bytes + difference_bytes = smaps_rss_bytes.
#pragma once

#include "analysis/ledger_model.h"
#include "report/json_writer.h"

namespace memswell::report {

void write_snapshot(JsonWriter& json, const analysis::LedgerSnapshot& snapshot);

}  // namespace memswell::report
