#include <fmt/format.h>

#include "report/escape.h"
#include "report/exports.h"
#include "report/selection.h"
#include "report/site_text.h"

namespace memswell::report {
namespace {

using analysis::ProcessReport;

struct Metric {
  const char* name;
  const char* unit;  // also the end of the name, as the standard asks
  const char* help;
  std::uint64_t (*value)(const ProcessReport&);
};

constexpr Metric kMetrics[] = {
    {"memswell_peak_rss_bytes", "bytes", "largest resident size, memswell's own pages left out",
     [](const ProcessReport& p) -> std::uint64_t { return p.totals.peak_rss_bytes; }},
    {"memswell_peak_private_dirty_bytes", "bytes", "largest private dirty size that was sampled",
     [](const ProcessReport& p) -> std::uint64_t { return p.totals.peak_private_dirty_bytes; }},
    {"memswell_end_rss_bytes", "bytes", "resident size at the end",
     [](const ProcessReport& p) -> std::uint64_t { return p.totals.end_rss_bytes; }},
    {"memswell_peak_live_bytes", "bytes", "largest sum of requested bytes of live blocks",
     [](const ProcessReport& p) -> std::uint64_t { return p.totals.peak_live_bytes; }},
    {"memswell_unfreed_bytes", "bytes", "requested bytes of blocks that were never freed",
     [](const ProcessReport& p) -> std::uint64_t { return p.totals.live_bytes_at_exit; }},
    {"memswell_allocated_bytes", "bytes", "requested bytes of all calls",
     [](const ProcessReport& p) -> std::uint64_t { return p.totals.figures.allocated_bytes; }},
    {"memswell_calls", "", "successful allocation calls",
     [](const ProcessReport& p) -> std::uint64_t { return p.totals.figures.calls; }},
};

// Label values: backslash, double quote and line feed are escaped (OpenMetrics 1.0, escaped-string).
std::string label(std::string_view text) {
  std::string out;
  for (const char c : escaped(text)) {
    if (c == '\\' || c == '"') out += '\\';
    out += c;
  }
  return out;
}

std::string row_label(const analysis::LedgerRow& row) {
  return std::string(analysis::kOwnerTexts[static_cast<std::size_t>(row.owner)].key);
}

std::string ledger_lines(const std::vector<const ProcessReport*>& processes) {
  std::string out =
      "# TYPE memswell_peak_ledger_bytes gauge\n# UNIT memswell_peak_ledger_bytes bytes\n"
      "# HELP memswell_peak_ledger_bytes resident bytes by owner in the snapshot nearest to the peak\n";
  for (std::size_t image = 0; image < processes.size(); ++image) {
    const ProcessReport* process = processes[image];
    const analysis::LedgerSnapshot* peak = peak_snapshot(*process);
    if (peak == nullptr) continue;
    for (const analysis::LedgerRow& row : peak->rows)
      out += fmt::format("memswell_peak_ledger_bytes{{pid=\"{}\",image=\"{}\",owner=\"{}\"}} {}\n", process->pid, image,
                         row_label(row), row.bytes);
  }
  return out;
}

}  // namespace

std::string export_openmetrics(const analysis::RunReport& run, const ExportOptions& options) {
  const auto processes = processes_with(run, options.pid);
  std::string out;
  for (const Metric& metric : kMetrics) {
    out += fmt::format("# TYPE {} gauge\n", metric.name);
    if (*metric.unit != '\0') out += fmt::format("# UNIT {} {}\n", metric.name, metric.unit);
    out += fmt::format("# HELP {} {}\n", metric.name, metric.help);
    std::size_t image = 0;  // several images of one pid (exec) must not repeat a label set
    for (const ProcessReport* process : processes)
      out += fmt::format("{}{{pid=\"{}\",image=\"{}\",command=\"{}\"}} {}\n", metric.name, process->pid, image++,
                         label(process->command.empty() ? "" : process->command[0]), metric.value(*process));
  }
  return out + ledger_lines(processes) + "# EOF\n";
}

}  // namespace memswell::report
