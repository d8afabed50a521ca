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
    {"--max-peak-rss", "peak RSS", true, [](const ProcessReport& p) -> std::uint64_t { return p.totals.peak_rss_bytes; }},
    {"--max-private-dirty", "peak private dirty", true,
     [](const ProcessReport& p) -> std::uint64_t { return p.totals.peak_private_dirty_bytes; }},
    {"--max-end-rss", "RSS at the end", true, [](const ProcessReport& p) -> std::uint64_t { return p.totals.end_rss_bytes; }},
    {"--max-peak-live", "peak of live blocks", true,
     [](const ProcessReport& p) -> std::uint64_t { return p.totals.peak_live_bytes; }},
    {"--max-unfreed", "not freed at exit", true,
     [](const ProcessReport& p) -> std::uint64_t { return p.totals.live_bytes_at_exit; }},
    {"--max-allocated", "allocated in all", true,
     [](const ProcessReport& p) -> std::uint64_t { return p.totals.figures.allocated_bytes; }},
    {"--max-calls", "calls", false, [](const ProcessReport& p) -> std::uint64_t { return p.totals.figures.calls; }},
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

}  // namespace

std::span<const LimitKind> limit_kinds() { return kKinds; }

CheckOutcome check_limits(const analysis::RunReport& run, const std::vector<Limit>& limits, const Terminal& terminal) {
  CheckOutcome outcome;
  for (const Limit& limit : limits) {
    const auto closest =
        std::max_element(run.processes.begin(), run.processes.end(), [&](const ProcessReport& a, const ProcessReport& b) {
          return limit.kind->value(a) < limit.kind->value(b);
        });
    if (closest == run.processes.end()) continue;
    const bool held = limit.kind->value(*closest) <= limit.most;
    outcome.held = outcome.held && held;
    outcome.text += limit_line(limit, *closest, held, terminal);
  }
  outcome.text += capture_notes(run, terminal, 0);
  return outcome;
}

}  // namespace memswell::report
