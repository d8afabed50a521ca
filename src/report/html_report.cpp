#include "report/html_report.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/units.h"
#include "report/findings_text.h"
#include "report/html_graphs.h"
#include "report/html_style.h"
#include "report/html_text.h"
#include "report/site_text.h"
#include "report/summary.h"

namespace memswell::report {
namespace {

using analysis::LedgerSnapshot;
using analysis::ProcessReport;

constexpr std::size_t kSites = 100;
constexpr std::size_t kCommandWidth = 1000;  // the browser breaks lines

std::string heading(const char* level, std::string_view text) { return html_element(level, html_text(text)) + "\n"; }
std::string faint(const std::string& text) { return html_element("p", html_text(text), " class=\"faint\"") + "\n"; }

// The owners that have a byte at one of the two moments.
std::string ledger(const ProcessReport& process) {
  const LedgerSnapshot* peak = peak_snapshot(process);
  const LedgerSnapshot* end = exit_snapshot(process);
  if (peak == nullptr || end == nullptr) return {};
  HtmlTable table{{"resident memory", "at the peak", "", "at the end", "expert's word"}, {}, true};
  const auto add = [&](std::string words, Bytes at_peak, Bytes at_end, std::string_view term) {
    table.rows.push_back({std::move(words), format_bytes(at_peak), format_percent(at_peak, peak->rss_bytes),
                          format_bytes(at_end), std::string(term)});
  };
  for (const analysis::OwnerText& owner : analysis::kOwnerTexts) {
    const Bytes at_peak = peak->row(owner.owner), at_end = end->row(owner.owner);
    if (at_peak != 0 || at_end != 0) add(std::string(owner.words), at_peak, at_end, owner.term);
  }
  add("sum: RSS without memswell's own pages", peak->rss_bytes, end->rss_bytes, "RSS");
  add("beside it: allocated and never touched", peak->beside.untouched_bytes, end->beside.untouched_bytes, "untouched");
  return html_ledger_bar(*peak) + html_table(table) +
         faint(fmt::format("ledger of {}, at {}; the peak was {} at {}", format_bytes(peak->rss_bytes),
                           format_duration(peak->time_ns), format_bytes(process.totals.peak_rss_bytes),
                           format_duration(process.totals.peak_rss_ns)));
}

std::string findings(const ProcessReport& process) {
  std::string items;
  for (const analysis::Finding& finding : process.findings) {
    std::string item = html_text(finding.sentence + (finding.cause.empty() ? "" : " " + finding.cause) +
                                 std::string(certainty_text(finding.certainty)));
    if (!finding.remedy.empty())
      item += html_element("div", html_text("Try: " + finding.remedy + effect_text(finding)), " class=\"try\"");
    items += html_element("li", item) + "\n";
  }
  return items.empty() ? items : heading("h3", "Why") + html_element("ol", items) + "\n";
}

std::string pulses(const ProcessReport& process) {
  std::string items;
  for (const analysis::Pulse& pulse : process.pulses) {
    std::string causes;
    for (const analysis::PulseCause& cause : pulse.causes)
      causes += html_element("li", html_text(format_signed_bytes(cause.bytes) + "  " + cause.sentence)) + "\n";
    items += html_element("li", html_text(pulse.sentence + (pulse.comparison.empty() ? "" : " " + pulse.comparison)) +
                                    html_element("details", html_element("summary", "taken apart") + html_element("ul", causes)));
  }
  return items.empty() ? items : heading("h3", "Pulses") + html_element("ol", items) + "\n";
}

std::string phases(const ProcessReport& process) {
  HtmlTable table{{"phase", "from", "to", "RSS, peak", "RSS, end", "private dirty, end", "live, peak", "live, end", "calls"}, {}};
  for (const analysis::Phase& phase : process.phases) {
    table.rows.push_back({phase.name, format_duration(phase.begin_ns), format_duration(phase.end_ns),
                          format_bytes(phase.peak_rss_bytes), format_bytes(phase.end_rss_bytes),
                          phase.private_dirty_known ? format_bytes(phase.end_private_dirty_bytes) : "?",
                          format_bytes(phase.peak_live_bytes), format_bytes(phase.end_live_bytes), format_count(phase.calls)});
  }
  return heading("h3", "Phases") + html_table(table);
}

std::string sites(const ProcessReport& process) {
  HtmlTable table{{"call site", "live at the peak", "own peak", "allocated", "calls", "temporary", "not freed"}, {}};
  for (std::size_t i = 0; i < std::min(kSites, process.sites.size()); ++i) {
    const analysis::Site& site = process.sites[i];
    const analysis::Figures& figures = site.figures;
    table.rows.push_back({site_text(site), format_bytes(figures.live_at_peak_bytes), format_bytes(figures.peak_live_bytes),
                          format_bytes(figures.allocated_bytes), format_count(figures.calls), format_count(figures.temporary),
                          format_bytes(figures.live_bytes)});
  }
  if (table.rows.empty()) return {};
  std::string out = heading("h3", "Call sites") + html_table(table);
  if (process.sites.size() > kSites) out += faint(fmt::format("and {} smaller ones: memswell report --top N", process.sites.size() - kSites));
  return out;
}

std::string process_html(const analysis::RunReport& run, const ProcessReport& process) {
  std::string out = heading("h2", fmt::format("{}   pid {}", command_text(process.command, kCommandWidth), process.pid));
  out += faint(fmt::format("{}, allocator {}; {} calls for {}", exit_text(process.exit), process.allocator,
                           format_count(process.totals.figures.calls), format_bytes(process.totals.figures.allocated_bytes)));
  out += html_timeline(process) + ledger(process) + findings(process) + pulses(process) + phases(process) + sites(process);
  const std::string flames = html_flame_graph(run, process);
  return flames.empty() ? out : out + heading("h3", "Live at the peak, by stack") + flames;
}

std::string facts(const analysis::RunReport& run) {
  return faint(fmt::format("{} after {}; {} calls recorded, {} events lost; {}, {}, {}; memswell {}", exit_text(run.exit),
                           format_duration(run.duration_ns), format_count(calls_of(run)),
                           format_count(run.recording.lost_events), run.kernel, run.machine, run.libc, run.memswell_version));
}

}  // namespace

std::string html_report(const analysis::RunReport& run, const ProcessChoice& choice) {
  const std::string command = command_text(run.command, kCommandWidth);
  std::string body = heading("h1", "memswell: " + command) + facts(run);
  const std::string notes = capture_notes(run, {}, 0) + left_out_text(run, choice);
  if (!notes.empty()) {
    std::string lines;
    for (std::size_t begin = 0; begin < notes.size();) {
      const std::size_t end = std::min(notes.find('\n', begin), notes.size());
      lines += html_text(notes.substr(begin, end - begin)) + "\n";
      begin = end + 1;
    }
    body += html_element("pre", lines, " class=\"faint\"") + "\n";
  }
  for (const ProcessReport* process : chosen_processes(run, choice)) body += process_html(run, *process);
  return "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
         "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'; img-src data:\">\n"
         "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
         "<link rel=\"icon\" href=\"data:,\">\n" +
         html_element("title", html_text("memswell: " + command)) + "\n" + html_element("style", kHtmlStyle) +
         "\n</head>\n<body>\n" + body + "</body>\n</html>\n";
}

}  // namespace memswell::report
