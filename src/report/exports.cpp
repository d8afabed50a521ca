#include "report/exports.h"

#include <fmt/format.h>

#include <array>

#include "report/selection.h"
#include "report/site_text.h"
#include "report/stack_text.h"

namespace memswell::report {

std::span<const ExportFormat> export_formats() {
  static constexpr std::array kFormats{
      ExportFormat{"folded", "flamegraph.pl, speedscope, inferno", export_folded},
      ExportFormat{"speedscope", "https://www.speedscope.app", export_speedscope},
      ExportFormat{"pprof", "go tool pprof", export_pprof},
      ExportFormat{"massif", "ms_print, massif-visualizer", export_massif},
      ExportFormat{"csv", "spreadsheets: one line a site", export_csv},
      ExportFormat{"openmetrics", "Prometheus and others", export_openmetrics},
  };
  return kFormats;
}

std::vector<WeightedStack> weighted_stacks(const analysis::RunReport& run, const ExportOptions& options) {
  std::vector<WeightedStack> weighted;
  const auto processes = processes_with(run, options.pid);
  for (const analysis::ProcessReport* process : processes) {
    for (const analysis::StackFigures& stack : process->stacks) {
      const std::uint64_t value = analysis::cost_of(stack.figures, options.cost);
      if (value == 0) continue;
      std::vector<std::string> names = stack_names(run.stacks, stack.stack);
      if (processes.size() > 1)
        names.insert(names.begin(), fmt::format("{} (pid {})", command_text(process->command, 40), process->pid));
      if (names.empty()) names.emplace_back("[no stack]");
      weighted.push_back({std::move(names), value});
    }
  }
  return weighted;
}

bool counts_bytes(analysis::Cost cost) {
  return cost != analysis::Cost::calls && cost != analysis::Cost::temporary;
}

}  // namespace memswell::report
