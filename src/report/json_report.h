// `report --json`: the whole report as one document. Keys, meanings and units: docs/json.md. Bytes are integers.
#pragma once

#include <string>

#include "analysis/model.h"

namespace memswell::report {

// Raised when a key changes its meaning or goes away; new keys do not raise it.
inline constexpr int kJsonSchema = 1;

std::string json_report(const analysis::RunReport& run);

}  // namespace memswell::report
