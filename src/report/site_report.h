// `report`: the sites of each process as a table, with stacks below them, or as call trees.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/call_tree.h"
#include "analysis/model.h"
#include "report/selection.h"
#include "report/terminal.h"

namespace memswell::report {

struct SiteReportOptions {
  analysis::Cost cost = analysis::Cost::live_at_peak;
  std::size_t top = 10;
  ProcessChoice processes = {};
  bool stacks = false;                        // the example stack below each site
  std::optional<analysis::Direction> tree = std::nullopt;  // call trees instead of a table
};

std::string site_report(const analysis::RunReport& run, const SiteReportOptions& options, const Terminal& terminal);

// The words of --sort: peak, own-peak, allocated, calls, temporary, unfreed, rounding.
std::vector<std::string> cost_names();
std::optional<analysis::Cost> cost_named(std::string_view name);
std::string_view cost_words(analysis::Cost cost);                     // "live at the peak"
std::string cost_value(analysis::Cost cost, std::uint64_t value);     // "140.3 MiB" or "1,204,331"

}  // namespace memswell::report
