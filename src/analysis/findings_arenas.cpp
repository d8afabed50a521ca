// Heaps of threads: what each keeps, and what one heap for all would need.
#include <fmt/format.h>

#include <algorithm>

#include "analysis/course.h"
#include "analysis/finding_rules.h"
#include "base/units.h"

namespace memswell::analysis {
namespace {

constexpr Bytes kReservedEach = Bytes{64} << 20;

Bytes free_in_arenas(const LedgerSnapshot& snapshot) { return sum_arenas(snapshot).free_bytes; }
Bytes resident_in_arenas(const LedgerSnapshot& snapshot) { return sum_arenas(snapshot).resident_bytes; }
Bytes reserved_by_arenas(const LedgerSnapshot& snapshot) { return sum_arenas(snapshot).count * kReservedEach; }

// What the rise to this snapshot's phase was in RSS.
std::string rss_rise_words(const ProcessReport& process, const LedgerSnapshot& snapshot) {
  for (std::size_t i = 1; i < process.phases.size(); ++i) {
    const Phase& phase = process.phases[i];
    const Bytes before = process.phases[i - 1].begin_rss_bytes;
    if (phase.name != snapshot.phase || phase.begin_rss_bytes < before) continue;
    return fmt::format(", RSS {} more than in phase \"{}\"", format_bytes(phase.begin_rss_bytes - before),
                       process.phases[i - 1].name);
  }
  return {};
}

std::string cause_of(const ProcessReport& process, const LedgerSnapshot& snapshot) {
  std::string cause = fmt::format(
      "glibc gives busy threads heaps of their own, and each keeps its own peak; the peak of all live blocks was {}.",
      format_bytes(process.totals.peak_live_bytes));
  if (const std::optional<Steps> steps = even_steps(process, resident_in_arenas))
    cause += fmt::format(" They grew by about {} in each of {} phases.", format_bytes(steps->bytes_each), steps->count);
  return cause + course_after(process, snapshot, resident_in_arenas);
}

}  // namespace

ArenaSum sum_arenas(const LedgerSnapshot& snapshot) {
  ArenaSum sum;
  for (const ArenaRow& arena : snapshot.arenas) {
    if (arena.main) continue;
    ++sum.count;
    sum.resident_bytes += arena.resident_bytes;
    sum.live_bytes += arena.live_bytes;
    sum.free_bytes += arena.free_bytes;
    sum.trimmable_bytes += arena.trimmable_bytes;
    sum.largest_bytes = std::max(sum.largest_bytes, arena.resident_bytes);
    sum.live_blocks += arena.live_blocks;
  }
  return sum;
}

void find_arenas(const FindingInput& input, Findings& findings) {
  constexpr std::size_t kManyArenas = 4;
  const ProcessReport& process = *input.process;
  if (!process.allocator.starts_with("glibc")) return;
  const LedgerSnapshot* worst = largest_snapshot(process, free_in_arenas);
  const bool keeps_much =
      worst != nullptr && sum_arenas(*worst).count >= 2 && free_in_arenas(*worst) >= least_notable(process);
  if (!keeps_much) worst = largest_snapshot(process, reserved_by_arenas);
  if (worst == nullptr || (!keeps_much && sum_arenas(*worst).count < kManyArenas)) return;
  const ArenaSum arenas = sum_arenas(*worst);
  // One heap for all would have grown to the largest need at one time.
  const Bytes needed = std::max(arenas.largest_bytes, process.totals.peak_live_bytes);
  const Bytes spared = arenas.resident_bytes - std::min(arenas.resident_bytes, needed);
  const Bytes returns = arenas.trimmable_bytes;
  Finding finding = make_finding(FindingKind::arenas, keeps_much ? Effect::lowers_what_stays : Effect::informs,
                                 Certainty::inference, arenas.free_bytes, worst->phase);
  const std::string reserve = format_bytes(reserved_by_arenas(*worst));
  const std::string contents =
      fmt::format("{} in {} live blocks, {} free", format_bytes(arenas.live_bytes), format_count(arenas.live_blocks),
                  format_bytes(arenas.free_bytes));
  if (keeps_much) {
    finding.sentence = fmt::format(
        "{} thread arenas {} hold {} resident, up to {} each: {}; each reserves 64 MiB of address space ({} in all).",
        arenas.count, when(process, *worst), format_bytes(arenas.resident_bytes), format_bytes(arenas.largest_bytes),
        contents, reserve);
    if (spared >= least_notable(process))
      finding.remedy = fmt::format(
          "MALLOC_ARENA_MAX=1 in the environment (one heap for all: about {} resident instead of {}, and threads wait "
          "for each other)",
          format_bytes(arenas.resident_bytes - spared), format_bytes(arenas.resident_bytes));
    if (returns >= least_notable(process))
      finding.remedy += fmt::format("{}malloc_trim(0) when the work is done (returns {})",
                                    finding.remedy.empty() ? "" : ", or ", format_bytes(returns));
    if (!finding.remedy.empty()) finding.saves_bytes = std::max(spared, returns);
  } else {
    finding.sentence = fmt::format(
        "{} thread arenas {} reserve {} of address space (VIRT), 64 MiB each, but hold only {} resident: {}{}.",
        arenas.count, when(process, *worst), reserve, format_bytes(arenas.resident_bytes), contents,
        rss_rise_words(process, *worst));
  }
  finding.cause = cause_of(process, *worst);
  if (!keeps_much) finding.cause += " Address space is not memory; arenas stay when their threads have ended.";
  finding.evidence = {{"arenas", static_cast<std::int64_t>(arenas.count), Unit::count},
                      {"reserved_bytes", static_cast<std::int64_t>(reserved_by_arenas(*worst)), Unit::bytes},
                      {"resident_bytes", static_cast<std::int64_t>(arenas.resident_bytes), Unit::bytes},
                      {"free_bytes", static_cast<std::int64_t>(arenas.free_bytes), Unit::bytes},
                      {"trimmable_bytes", static_cast<std::int64_t>(returns), Unit::bytes},
                      {"live_blocks", static_cast<std::int64_t>(arenas.live_blocks), Unit::count},
                      {"peak_live_bytes", static_cast<std::int64_t>(process.totals.peak_live_bytes), Unit::bytes}};
  findings.push_back(std::move(finding));
}

}  // namespace memswell::analysis
