// A recording in the formats of other tools. A format stands in the table only if it is whole.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/model.h"

namespace memswell::report {

struct ExportOptions {
  analysis::Cost cost = analysis::Cost::live_at_peak;
  std::optional<std::uint64_t> pid;
};

struct ExportFormat {
  std::string_view name;
  std::string_view words;  // which tool reads it
  bool binary;             // not for a terminal
  std::string (*write)(const analysis::RunReport&, const ExportOptions&);
};

std::span<const ExportFormat> export_formats();

// One function a format, each in a file of its own.
std::string export_folded(const analysis::RunReport& run, const ExportOptions& options);       // Brendan Gregg's flamegraph.pl
std::string export_csv(const analysis::RunReport& run, const ExportOptions& options);          // one line a site
std::string export_speedscope(const analysis::RunReport& run, const ExportOptions& options);   // speedscope.app file format
std::string export_firefox(const analysis::RunReport& run, const ExportOptions& options);      // profiler.firefox.com
std::string export_sqlite(const analysis::RunReport& run, const ExportOptions& options);       // a database file
std::string export_massif(const analysis::RunReport& run, const ExportOptions& options);       // ms_print, massif-visualizer
std::string export_pprof(const analysis::RunReport& run, const ExportOptions& options);        // profile.proto, not compressed
std::string export_openmetrics(const analysis::RunReport& run, const ExportOptions& options);  // OpenMetrics 1.0 text

// What flame graphs share: a stack that has a value, as names from the outermost on. Processes become the root name when
// there are several.
struct WeightedStack {
  std::vector<std::string> names;
  std::uint64_t value = 0;
};
std::vector<WeightedStack> weighted_stacks(const analysis::RunReport& run, const ExportOptions& options);
std::vector<WeightedStack> weighted_stacks(const analysis::RunReport& run, const analysis::ProcessReport& process,
                                           analysis::Cost cost);  // of one process, without a root for it

bool counts_bytes(analysis::Cost cost);  // else calls or blocks

}  // namespace memswell::report
