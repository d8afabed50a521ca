// The truth of a workload: the line of JSON that it prints about itself.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace memswell::workloads {

using Figures = std::map<std::string, std::int64_t, std::less<>>;

struct TruthPhase {
  std::string name;
  Figures figures;  // its counts, the readings at its end, and its facts: all in one, no name is used twice
};

struct Truth {
  std::string workload;
  bool recorded = false;  // it ran under memswell
  Figures totals;         // calls, requested_bytes, live_blocks, live_bytes
  std::vector<TruthPhase> phases;

  const TruthPhase* phase(std::string_view name) const;

  // The figure `metric` of the phase, or of the whole run if `phase` is empty; none if there is no such figure.
  std::optional<std::int64_t> figure(std::string_view phase, std::string_view metric) const;

  // The sum over all phases whose names begin with one of `prefixes` (separated by spaces).
  std::int64_t sum(std::string_view prefixes, std::string_view metric) const;
};

// Error (own_failure): the text is not such a line.
Result<Truth> parse_truth(std::string_view text);

}  // namespace memswell::workloads
