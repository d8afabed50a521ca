#include "report/story.h"

#include <fmt/format.h>

#include "base/units.h"
#include "report/escape.h"
#include "report/findings_text.h"
#include "report/ledger_text.h"
#include "report/selection.h"
#include "report/site_text.h"
#include "report/summary.h"
#include "report/table.h"

namespace memswell::report {
namespace {

using analysis::LedgerSnapshot;
using analysis::Phase;
using analysis::ProcessReport;

std::string heading(std::string_view words, const Terminal& terminal) {
  return "\n" + terminal.paint(Colour::strong, words) + "\n";
}

std::string maybe_mib(bool known, Bytes bytes) { return known ? format_mib(bytes) : "?"; }

std::string phases_text(const ProcessReport& process, const Terminal& terminal) {
  Table table({{"phase", Align::left, true}, {"from"}, {"for"}, {"RSS at begin"}, {"peak"}, {"at end"},
               {"private dirty"}, {"peak"}, {"live at end"}, {"peak"}, {"calls"}});
  for (const Phase& phase : process.phases) {
    table.add({escaped(phase.name), format_duration(phase.begin_ns), format_duration(phase.end_ns - phase.begin_ns),
               format_mib(phase.begin_rss_bytes), format_mib(phase.peak_rss_bytes) + (phase.peak_rss_exact ? "" : "*"),
               format_mib(phase.end_rss_bytes), maybe_mib(phase.private_dirty_known, phase.end_private_dirty_bytes),
               format_mib(phase.peak_private_dirty_bytes), format_mib(phase.end_live_bytes),
               format_mib(phase.peak_live_bytes), format_short_count(phase.calls)});
  }
  std::string out = heading("Phases (MiB)", terminal) + table.text(terminal, 2);
  for (const Phase& phase : process.phases) {
    if (!phase.peak_rss_exact) return out + "  * largest sample: the kernel's own mark was not reset for this phase\n";
  }
  return out;
}

std::string ledgers_text(const ProcessReport& process, bool all, const Terminal& terminal) {
  std::string out;
  const LedgerSnapshot* peak = peak_snapshot(process);
  const LedgerSnapshot* end = exit_snapshot(process);
  for (const LedgerSnapshot& snapshot : process.snapshots) {
    if (all || &snapshot == peak || &snapshot == end) out += "\n" + full_ledger(process, snapshot, terminal);
  }
  return out;
}

std::string process_story(const ProcessReport& process, const StoryOptions& options, const Terminal& terminal) {
  constexpr std::size_t kAll = 100;
  const std::string command = fmt::format("{}   pid {}, {}", command_text(process.command), process.pid, exit_text(process.exit));
  std::string out = terminal.paint(Colour::strong, command) + "\n" + two_column_ledger(process, terminal);
  const std::string findings = findings_text(process, kAll, terminal);
  out += findings.empty() ? "\nNothing notable: no finding of any size in this process.\n"
                          : heading("Findings, largest saving first", terminal) + findings;
  if (process.phases.size() > 1) out += phases_text(process, terminal);
  if (const std::string pulses = pulses_text(process, terminal); !pulses.empty())
    out += heading("Pulses of the footprint", terminal) + pulses;
  return out + ledgers_text(process, options.all_ledgers, terminal);
}

}  // namespace

std::string story(const analysis::RunReport& run, const StoryOptions& options, const Terminal& terminal) {
  std::string out;
  for (const ProcessReport* process : chosen_processes(run, options.processes))
    out += (out.empty() ? "" : "\n") + process_story(*process, options, terminal);
  if (const std::string left_out = left_out_text(run, options.processes); !left_out.empty()) out += "\n" + left_out;
  const std::string notes = capture_notes(run, terminal, 0);
  return notes.empty() ? out : out + "\n" + notes;
}

}  // namespace memswell::report
