#include "report/csv.h"
#include "report/exports.h"
#include "report/selection.h"

namespace memswell::report {
namespace {

struct FigureColumn {
  const char* name;
  std::uint64_t analysis::Figures::*member;
};

constexpr FigureColumn kFigures[] = {
    {"live_at_peak_bytes", &analysis::Figures::live_at_peak_bytes},
    {"peak_live_bytes", &analysis::Figures::peak_live_bytes},
    {"allocated_bytes", &analysis::Figures::allocated_bytes},
    {"calls", &analysis::Figures::calls},
    {"temporary", &analysis::Figures::temporary},
    {"live_blocks", &analysis::Figures::live_blocks},
    {"live_bytes", &analysis::Figures::live_bytes},
    {"slack_at_peak_bytes", &analysis::Figures::slack_at_peak_bytes},
};

}  // namespace

std::string export_csv(const analysis::RunReport& run, const ExportOptions& options) {
  std::vector<std::string> heading{"pid", "function", "file", "line", "module"};
  for (const FigureColumn& column : kFigures) heading.emplace_back(column.name);
  heading.insert(heading.end(), {"untouched_bytes", "pinned_bytes"});
  std::string out = csv_line(heading);
  for (const analysis::ProcessReport* process : processes_with(run, options.pid)) {
    for (const analysis::Site& site : process->sites) {
      std::vector<std::string> cells{std::to_string(process->pid), csv_text(site.function), csv_text(site.file),
                                     std::to_string(site.line), csv_text(site.module)};
      for (const FigureColumn& column : kFigures) cells.push_back(std::to_string(site.figures.*column.member));
      cells.insert(cells.end(), {std::to_string(site.untouched_bytes), std::to_string(site.pinned_bytes)});
      out += csv_line(cells);
    }
  }
  return out;
}

}  // namespace memswell::report
