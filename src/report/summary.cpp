#include "report/summary.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "report/error_bars.h"
#include "report/escape.h"
#include "report/findings_text.h"
#include "report/ledger_text.h"
#include "base/units.h"
#include "report/selection.h"
#include "report/site_text.h"

namespace memswell::report {
namespace {

using analysis::ProcessReport;
using analysis::RunReport;

constexpr std::size_t kSites = 3;
constexpr std::size_t kFindings = 3;

std::string lost_text(std::uint64_t lost) {
  return lost == 0 ? "none lost" : fmt::format("{} events LOST", format_count(lost));
}

std::string headline(const RunReport& run, const Terminal& terminal) {
  const std::string text =
      fmt::format("{}   {} after {}   {} calls recorded, {}", command_text(run.command), exit_text(run.exit),
                  format_duration(run.duration_ns), format_short_count(calls_of(run)), lost_text(run.recording.lost_events));
  return "memswell: " + terminal.paint(Colour::strong, text) + "\n";
}

std::string processes_line(const RunReport& run, const ProcessReport& shown) {
  if (run.processes.size() < 2) return {};
  std::string out = fmt::format("  {} process images", run.processes.size());
  // Read now and then, while the peak of each process is exact: below it, the sum says nothing.
  if (run.tree_peak.pss_bytes >= std::max<Bytes>(shown.totals.peak_rss_bytes, 1))
    out += fmt::format(", at most {} together with shared pages counted once", format_bytes(run.tree_peak.pss_bytes));
  return out + fmt::format("; below the largest, {} (pid {})\n", command_text(shown.command, 40), shown.pid);
}

std::string largest_sites(const ProcessReport& process, const Terminal& terminal) {
  std::string out;
  std::size_t shown = 0;
  for (const analysis::Site& site : process.sites) {
    if (shown == kSites || site.figures.live_at_peak_bytes == 0) break;
    out += (shown++ == 0 ? "  largest at the peak: " : ",  ") + site_text(site) + " " +
           format_mib(site.figures.live_at_peak_bytes) +
           error_text(site.figures.live_at_peak_bytes, site.figures.live_at_peak_variance);
  }
  return out.empty() ? out : wrapped(out, terminal.width, 4) + "\n";
}

std::string beside_line(const ProcessReport& process, const Terminal& terminal) {
  const analysis::LedgerSnapshot* peak = peak_snapshot(process);
  std::string out = peak == nullptr ? "" : beside_text(process, *peak);
  if (process.totals.own_peak_bytes != 0)
    out += fmt::format("{}memswell's own {} left out", out.empty() ? "beside it: " : "; ",
                       format_bytes(process.totals.own_peak_bytes));
  return out.empty() ? out : wrapped("  " + out, terminal.width, 4) + "\n";
}

std::string recording_line(const std::string& path, const Terminal& terminal) {
  return terminal.paint(Colour::faint, fmt::format("  recording: {}     why: memswell explain FILE   where: memswell "
                                                   "report FILE   when: memswell timeline FILE",
                                                   escaped(path))) + "\n";
}

std::string sampled_text(const ProcessReport& process) {
  return fmt::format("{} (pid {}) was sampled from outside, its calls were not recorded: {}",
                     command_text(process.command, 40), process.pid, escaped(process.capture_reason));
}

// What is known of the time before the first recorded call (--start-on).
std::string earlier_text(const RunReport& run, const ProcessReport& process) {
  const analysis::EarlierTotals& earlier = *process.earlier;
  const std::string before =
      fmt::format("{} calls for {}, live blocks at most {}", format_short_count(earlier.calls),
                  format_bytes(earlier.allocated_bytes), format_bytes(earlier.peak_live_bytes));
  if (!earlier.reached)
    return fmt::format("pid {} ended before phase \"{}\" began: no call of it is recorded by site. In all {}; {} live at the end",
                       process.pid, escaped(run.start_on), before, format_bytes(earlier.live_bytes));
  return fmt::format("calls of pid {} are recorded from phase \"{}\" on, at {}. Before it {}; what lived then, {} in {} blocks, is the "
                     "group [before phase \"{}\"]",
                     process.pid, escaped(run.start_on), format_duration(earlier.end_ns), before,
                     format_bytes(earlier.live_bytes), format_count(earlier.live_blocks), escaped(run.start_on));
}

std::string unnamed_text(const ProcessReport& process) {
  const analysis::ProcessTotals& totals = process.totals;
  std::string out = fmt::format("{} of what was live at the peak of pid {} has no function names, most of it in {}",
                                format_bytes(totals.unnamed_at_peak_bytes), process.pid,
                                totals.unnamed_module.empty() ? "generated code" : escaped(totals.unnamed_module));
  return totals.unnamed_note.empty() ? out : out + ": " + escaped(totals.unnamed_note);
}

bool worth_naming(const analysis::ProcessTotals& totals) {
  return totals.unnamed_at_peak_bytes >= 64 * 1024 && totals.unnamed_at_peak_bytes * 20 >= totals.peak_live_bytes;
}

std::string sampling_text(const RunReport& run) {
  return fmt::format("calls were sampled, one block in {} allocated and all from {} on: counts of calls, bytes allocated and live bytes "
                     "are exact (live ones with their rounding), sites are estimates, ± one standard error",
                     format_bytes(run.sample_bytes), format_bytes(run.sample_always_bytes));
}

std::string folded_text(const analysis::FoldedTime& folded) {
  std::string text = fmt::format(
      "the first {} ({} allocations and releases) are folded, to keep the recording below {}: sums, peaks and live blocks are exact; the own "
      "peak of a site with several stacks is at least what is shown, and what a site held at a moment inside is known about every {}",
      format_duration(folded.end_ns), format_count(folded.events), format_bytes(folded.max_bytes),
      format_duration(folded.end_ns / analysis::kFoldedStretches));
  if (folded.samples_left_out + folded.snapshots_left_out == 0) return text;
  return text + fmt::format("; {} samples and {} snapshots of it were left out", format_count(folded.samples_left_out),
                            format_count(folded.snapshots_left_out));
}

// --check-walks.
std::string walks_text(const ProcessReport& process) {
  const std::uint64_t different = process.totals.walks_different;
  return fmt::format("pid {}: {} stack walks compared with libunwind's, {} {}", process.pid,
                     format_count(process.totals.walks_compared), different == 0 ? "none" : format_count(different),
                     different > 1 ? "differ" : "differs");
}

std::vector<std::string> notes_of(const RunReport& run) {
  std::vector<std::string> notes;
  if (run.recording.folded) notes.push_back(folded_text(*run.recording.folded));
  if (run.sample_bytes != 0) notes.push_back(sampling_text(run));
  if (!run.recording.complete && !run.recording.end_sentence.empty()) notes.push_back(escaped(run.recording.end_sentence));
  for (const ProcessReport& process : run.processes) {
    if (process.capture == trace::Capture::sampler) notes.push_back(sampled_text(process));
    if (run.sample_bytes != 0 && process.capture == trace::Capture::full && !process.totals.counted)
      notes.push_back(fmt::format("pid {}: its malloc does not say how large a freed block was, so its calls were not counted: its sums are "
                                  "estimates too", process.pid));
    if (process.earlier) notes.push_back(earlier_text(run, process));
    if (process.totals.lost_events != 0)
      notes.push_back(fmt::format("pid {} lost {} events: counts and live bytes are lower bounds", process.pid,
                                  format_count(process.totals.lost_events)));
    if (worth_naming(process.totals)) notes.push_back(unnamed_text(process));
    if (process.totals.walks_compared != 0) notes.push_back(walks_text(process));
  }
  return notes;
}

std::string group_text(const std::optional<trace::GroupMemory>& group) {
  if (!group || group->limit_bytes == 0) return "";
  return fmt::format(" (cgroup limit {}: anon {}, file {}, kernel {} at {})", format_bytes(group->limit_bytes),
                     format_bytes(group->anon_bytes), format_bytes(group->file_bytes), format_bytes(group->kernel_bytes),
                     format_duration(group->time));
}

}  // namespace

std::string exit_text(const analysis::ExitStatus& exit) {
  switch (exit.reason) {
    case trace::EndReason::running: return "still running";
    case trace::EndReason::exited: return exit.code < 0 ? "exited" : fmt::format("exit {}", exit.code);
    case trace::EndReason::signalled:
      return fmt::format("killed by signal {} ({})", exit.signal, ::strsignal(exit.signal));
    case trace::EndReason::oom_killed: return "killed by the kernel: out of memory" + group_text(exit.group);
    case trace::EndReason::replaced_by_exec: return "replaced by exec";
    case trace::EndReason::unknown: return "end unknown";
  }
  return "end unknown";
}

std::string capture_notes(const RunReport& run, const Terminal& terminal, std::size_t indent) {
  constexpr std::size_t kShown = 5;
  const std::vector<std::string> notes = notes_of(run);
  std::string out;
  for (std::size_t i = 0; i < std::min(kShown, notes.size()); ++i)
    out += wrapped(std::string(indent, ' ') + "note: " + notes[i], terminal.width, indent + 6) + "\n";
  if (notes.size() > kShown) out += fmt::format("{:{}}and {} more notes in report --json\n", "", indent, notes.size() - kShown);
  return out;
}

std::string summary(const RunReport& run, const std::string& recording_path, const Terminal& terminal) {
  std::string out = headline(run, terminal);
  const ProcessReport* process = main_process(run);
  if (process == nullptr) return out + recording_line(recording_path, terminal);
  out += processes_line(run, *process);
  out += two_column_ledger(*process, terminal);
  out += beside_line(*process, terminal);
  out += largest_sites(*process, terminal);
  const std::string why = findings_text(*process, kFindings, terminal);
  if (!why.empty()) out += terminal.paint(Colour::strong, "  why") + "\n" + why;
  out += capture_notes(run, terminal, 2);
  return out + recording_line(recording_path, terminal);
}

}  // namespace memswell::report
