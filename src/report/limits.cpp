#include "report/limits.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/units.h"
#include "report/selection.h"
#include "report/site_text.h"
#include "report/summary.h"

namespace memswell::report {
namespace {

using analysis::ProcessReport;

constexpr LimitKind kKinds[] = {
    {"--max-peak-rss", "peak RSS", true, false, [](const ProcessReport& p) -> std::uint64_t { return p.totals.peak_rss_bytes; }},
    {"--max-private-dirty", "peak private dirty", true, false,
     [](const ProcessReport& p) -> std::uint64_t { return p.totals.peak_private_dirty_bytes; }},
    {"--max-end-rss", "RSS at the end", true, false, [](const ProcessReport& p) -> std::uint64_t { return p.totals.end_rss_bytes; }},
    {"--max-peak-live", "peak of live blocks", true, true,
     [](const ProcessReport& p) -> std::uint64_t { return p.totals.peak_live_bytes; }},
    {"--max-unfreed", "not freed at exit", true, true,
     [](const ProcessReport& p) -> std::uint64_t { return p.totals.live_bytes_at_exit; }},
    {"--max-allocated", "allocated in all", true, true,
     [](const ProcessReport& p) -> std::uint64_t { return p.totals.figures.allocated_bytes; }},
    {"--max-calls", "calls", false, true, [](const ProcessReport& p) -> std::uint64_t { return p.totals.figures.calls; }},
};

std::string amount(const LimitKind& kind, std::uint64_t value) {
  return kind.in_bytes ? format_bytes(value) : format_count(value);
}

std::string limit_line(const Limit& limit, const ProcessReport& process, bool held, const Terminal& terminal) {
  const std::uint64_t value = limit.kind->value(process);
  const std::string verdict = held ? terminal.paint(Colour::fall, "ok      ") : terminal.paint(Colour::rise, "EXCEEDED");
  std::string out = fmt::format("{}  {} {}, limit {}", verdict, limit.kind->words, amount(*limit.kind, value),
                                amount(*limit.kind, limit.most));
  if (!held) out += fmt::format(", {} too much", amount(*limit.kind, value - limit.most));
  return out + fmt::format("   ({}, pid {})\n", command_text(process.command, 40), process.pid);
}

// Why nothing is known that could hold the limit; empty if it is known.
std::string why_unknown(const Limit& limit, const analysis::RunReport& run) {
  if (run.processes.empty()) return "the recording has no process";
  if (!run.recording.complete) return "the recording ends early, what came after is not known";
  if (!limit.kind->of_calls) return {};
  for (const ProcessReport& process : run.processes)
    if (process.capture != trace::Capture::full)
      return fmt::format("calls were not recorded of {}, pid {}", command_text(process.command, 40), process.pid);
  return {};
}

}  // namespace

std::span<const LimitKind> limit_kinds() { return kKinds; }

CheckOutcome check_limits(const analysis::RunReport& run, const std::vector<Limit>& limits, const Terminal& terminal) {
  CheckOutcome outcome;
  for (const Limit& limit : limits) {
    const auto closest =
        std::max_element(run.processes.begin(), run.processes.end(), [&](const ProcessReport& a, const ProcessReport& b) {
          return limit.kind->value(a) < limit.kind->value(b);
        });
    const bool exceeded = closest != run.processes.end() && limit.kind->value(*closest) > limit.most;
    const std::string unknown = why_unknown(limit, run);
    outcome.held = outcome.held && !exceeded && unknown.empty();
    if (exceeded || unknown.empty())
      outcome.text += limit_line(limit, *closest, !exceeded, terminal);
    else
      outcome.text += fmt::format("{}  {}: {}\n", terminal.paint(Colour::rise, "UNKNOWN "), limit.kind->words, unknown);
  }
  outcome.text += capture_notes(run, terminal, 0);
  return outcome;
}

}  // namespace memswell::report
