#include "report/exports.h"

#include <fmt/format.h>

#include <array>

#include "report/selection.h"
#include "report/site_text.h"
#include "report/stack_text.h"

namespace memswell::report {

std::span<const ExportFormat> export_formats() {
  static constexpr std::array kFormats{
      ExportFormat{"folded", "flamegraph.pl, speedscope, inferno", false, export_folded},
      ExportFormat{"speedscope", "https://www.speedscope.app", false, export_speedscope},
      ExportFormat{"firefox", "https://profiler.firefox.com", false, export_firefox},
      ExportFormat{"pprof", "go tool pprof", true, export_pprof},
      ExportFormat{"massif", "ms_print, massif-visualizer", false, export_massif},
      ExportFormat{"csv", "spreadsheets: one line a site", false, export_csv},
      ExportFormat{"sqlite", "sqlite3 and what reads its files: every table of the report", true, export_sqlite},
      ExportFormat{"openmetrics", "Prometheus and others", false, export_openmetrics},
  };
  return kFormats;
}

std::vector<WeightedStack> weighted_stacks(const analysis::RunReport& run, const analysis::ProcessReport& process,
                                           analysis::Cost cost) {
  std::vector<WeightedStack> weighted;
  for (const analysis::StackFigures& stack : process.stacks) {
    const std::uint64_t value = analysis::cost_of(stack.figures, cost);
    if (value == 0) continue;
    std::vector<std::string> names = stack_names(run.stacks, stack.stack);
    if (names.empty()) names.emplace_back("[no stack]");
    weighted.push_back({std::move(names), value});
  }
  return weighted;
}

std::vector<WeightedStack> weighted_stacks(const analysis::RunReport& run, const ExportOptions& options) {
  std::vector<WeightedStack> weighted;
  const auto processes = processes_with(run, options.pid);
  for (const analysis::ProcessReport* process : processes) {
    for (WeightedStack& stack : weighted_stacks(run, *process, options.cost)) {
      if (processes.size() > 1)
        stack.names.insert(stack.names.begin(), fmt::format("{} (pid {})", command_text(process->command, 40), process->pid));
      weighted.push_back(std::move(stack));
    }
  }
  return weighted;
}

bool counts_bytes(analysis::Cost cost) {
  return cost != analysis::Cost::calls && cost != analysis::Cost::temporary;
}

}  // namespace memswell::report
