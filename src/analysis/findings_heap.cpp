// Findings about what the allocator keeps: free memory, bookkeeping, rounding.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "analysis/finding_rules.h"
#include "base/units.h"

namespace memswell::analysis {
namespace {

struct ArenaSum {
  std::size_t count = 0;
  Bytes resident_bytes = 0;
  Bytes live_bytes = 0;
  Bytes free_bytes = 0;
  Bytes trimmable_bytes = 0;
  Bytes largest_bytes = 0;
  std::uint64_t live_blocks = 0;
};

// All heaps but the main one.
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

// Free memory of the main heap (and of a single arena, which is no story of its own).
Bytes trimmable_of(const LedgerSnapshot& snapshot) {
  const ArenaSum arenas = sum_arenas(snapshot);
  const Bytes all = snapshot.row(Owner::heap_trimmable);
  return arenas.count < 2 ? all : all - std::min(all, arenas.trimmable_bytes);
}

const Site* largest_large_heap_site(const ProcessReport& process) {
  const Site* most = nullptr;
  for (const Site& site : process.sites) {
    if (site.figures.large_heap_calls > (most == nullptr ? 0 : most->figures.large_heap_calls)) most = &site;
  }
  return most;
}

const ArenaRow* main_heap(const LedgerSnapshot& snapshot) {
  for (const ArenaRow& arena : snapshot.arenas) {
    if (arena.main) return &arena;
  }
  return nullptr;
}

// Why glibc did not give it back by itself, and what would make it.
void explain_trimmable(const ProcessReport& process, const LedgerSnapshot& snapshot, Finding& finding) {
  const Bytes threshold = process.totals.largest_returned_mapping_bytes;
  const ArenaRow* heap = main_heap(snapshot);
  const bool at_top = snapshot.top_bytes * 2 > finding.bytes;
  const Site* large = largest_large_heap_site(process);
  finding.remedy = fmt::format("call malloc_trim(0) when this work is done");
  if (threshold > 0 && large != nullptr && !at_top) {
    finding.cause = fmt::format(
        "Freeing a block of {} raised glibc's mmap threshold to that size: since then large blocks come out of the "
        "heap "
        "({} of them at {}), and the holes they leave are not given back.",
        format_bytes(threshold), format_count(large->figures.large_heap_calls),
        words_of(process, SiteIndex{static_cast<std::uint32_t>(large - process.sites.data())}));
    finding.remedy =
        "GLIBC_TUNABLES=glibc.malloc.mmap_threshold=131072 in the environment, which keeps large blocks in "
        "mappings of their own; or " +
        finding.remedy;
  } else if (!at_top && heap != nullptr && heap->live_blocks > 0) {
    finding.cause = fmt::format(
        "It lies below live blocks, the highest of {}: glibc gives memory back only from the top of "
        "its heap.",
        words_of(process, heap->highest_site));
    finding.site = heap->highest_site;
    finding.remedy += fmt::format(", or free the blocks of {} with the rest", words_of(process, heap->highest_site));
  } else if (at_top && snapshot.top_bytes <= 2 * threshold) {
    finding.cause =
        fmt::format("Freeing a block of {} raised glibc's trim threshold to {}: the top of the heap stays below it.",
                    format_bytes(threshold), format_bytes(2 * threshold));
    finding.remedy = "GLIBC_TUNABLES=glibc.malloc.trim_threshold=131072 in the environment, or " + finding.remedy;
  } else {
    finding.cause =
        "Small freed blocks lie in it, which glibc keeps aside unmerged (fastbins, thread caches): it does not see how much "
        "of the heap's top is free.";
  }
}

struct DecayAdvice {
  std::string_view allocator;
  std::string_view remedy;
};
constexpr std::array kDecayAdvice{
    DecayAdvice{
        "jemalloc",
        "MALLOC_CONF=dirty_decay_ms:0,muzzy_decay_ms:0, or background_thread:true so that idle programs decay too"},
    DecayAdvice{"mimalloc", "MIMALLOC_PURGE_DELAY=0, or mi_collect(true) when the work is done"},
    DecayAdvice{"tcmalloc", "TCMALLOC_RELEASE_RATE=10, or MallocExtension::ReleaseFreeMemory() when the work is done"},
};

}  // namespace

void find_trimmable(const FindingInput& input, Findings& findings) {
  const ProcessReport& process = *input.process;
  const LedgerSnapshot* worst = nullptr;
  for (const LedgerSnapshot& snapshot : process.snapshots) {
    if (worst == nullptr || trimmable_of(snapshot) > trimmable_of(*worst)) worst = &snapshot;
  }
  if (worst == nullptr || trimmable_of(*worst) < least_notable(process)) return;
  const Bytes bytes = trimmable_of(*worst);
  Finding finding =
      make_finding(FindingKind::trimmable, Effect::lowers_what_stays, heap_certainty(*worst), bytes, worst->phase);
  finding.saves_bytes = bytes;
  finding.sentence = fmt::format(
      "{} are free inside the heap {} but stay resident, in whole pages; the program's blocks there "
      "are {} ({}).",
      format_bytes(bytes), when(process, *worst), format_bytes(worst->live_bytes), format_count(worst->live_blocks));
  explain_trimmable(process, *worst, finding);
  finding.evidence = {{"trimmable_bytes", static_cast<std::int64_t>(bytes), Unit::bytes},
                      {"top_bytes", static_cast<std::int64_t>(worst->top_bytes), Unit::bytes},
                      {"live_bytes", static_cast<std::int64_t>(worst->live_bytes), Unit::bytes},
                      {"rss_bytes", static_cast<std::int64_t>(worst->rss_bytes), Unit::bytes},
                      {"time_ns", static_cast<std::int64_t>(worst->time_ns), Unit::nanoseconds}};
  findings.push_back(std::move(finding));
}

void find_pinned(const FindingInput& input, Findings& findings) {
  const ProcessReport& process = *input.process;
  const LedgerSnapshot* worst = worst_snapshot(process, Owner::heap_pinned);
  if (worst == nullptr || worst->row(Owner::heap_pinned) < least_notable(process)) return;
  const SiteShare* most = largest_share(*worst, &SiteShare::pinned_bytes);
  if (most == nullptr) return;
  const Bytes pinned = worst->row(Owner::heap_pinned);
  Finding finding =
      make_finding(FindingKind::pinned, Effect::lowers_what_stays, heap_certainty(*worst), pinned, worst->phase);
  finding.site = most->site;
  finding.sentence = fmt::format(
      "{} freed bytes cannot be returned {}: live blocks share their pages, most of them ({}) blocks of {}, "
      "of which {} with {} are live.",
      format_bytes(pinned), when(process, *worst), format_bytes(most->pinned_bytes), words_of(process, most->site),
      format_count(most->live_blocks), format_bytes(most->live_bytes));
  finding.cause = "Blocks that live long lie between blocks that live short.";
  finding.remedy =
      fmt::format("give the blocks of {} a place of their own: a pool, or allocated before the short-lived ones",
                  words_of(process, most->site));
  if (most->returns_known) {
    finding.saves_bytes = most->returns_bytes;
    finding.remedy +=
        fmt::format("; without them malloc_trim(0) would return {} more", format_bytes(most->returns_bytes));
  }
  finding.evidence = {{"pinned_bytes", static_cast<std::int64_t>(pinned), Unit::bytes},
                      {"pinned_by_site_bytes", static_cast<std::int64_t>(most->pinned_bytes), Unit::bytes},
                      {"site_live_bytes", static_cast<std::int64_t>(most->live_bytes), Unit::bytes},
                      {"site_live_blocks", static_cast<std::int64_t>(most->live_blocks), Unit::count},
                      {"returns_bytes", static_cast<std::int64_t>(most->returns_bytes), Unit::bytes}};
  findings.push_back(std::move(finding));
}

void find_arenas(const FindingInput& input, Findings& findings) {
  constexpr std::size_t kManyArenas = 4;
  const ProcessReport& process = *input.process;
  const LedgerSnapshot* worst = nullptr;
  for (const LedgerSnapshot& snapshot : process.snapshots) {
    if (!snapshot.heap_exact && snapshot.arenas.empty()) continue;
    const auto rank = [](const LedgerSnapshot& s) { return std::pair(sum_arenas(s).free_bytes, sum_arenas(s).count); };
    if (worst == nullptr || rank(snapshot) > rank(*worst)) worst = &snapshot;
  }
  if (worst == nullptr || !process.allocator.starts_with("glibc")) return;
  const ArenaSum arenas = sum_arenas(*worst);
  const bool keeps_much = arenas.count >= 2 && arenas.free_bytes >= least_notable(process);
  if (!keeps_much && arenas.count < kManyArenas) return;
  // One heap for all would have grown to the largest need at one time.
  const Bytes needed = std::max(arenas.largest_bytes, process.totals.peak_live_bytes);
  const Bytes spared = arenas.resident_bytes - std::min(arenas.resident_bytes, needed);
  const Bytes returns = arenas.trimmable_bytes;
  Finding finding = make_finding(FindingKind::arenas, keeps_much ? Effect::lowers_what_stays : Effect::informs,
                                 Certainty::inference, arenas.free_bytes, worst->phase);
  finding.sentence = fmt::format(
      "{} thread arenas {} hold {} resident: {} in {} live blocks, {} free; each reserves 64 MiB of "
      "address space ({} in all).",
      arenas.count, when(process, *worst), format_bytes(arenas.resident_bytes), format_bytes(arenas.live_bytes),
      format_count(arenas.live_blocks), format_bytes(arenas.free_bytes),
      format_bytes(arenas.count * (Bytes{64} << 20)));
  finding.cause = fmt::format(
      "glibc gives busy threads heaps of their own, and each keeps its own peak; the peak of all live blocks "
      "was {}. Address space is not memory.",
      format_bytes(process.totals.peak_live_bytes));
  if (keeps_much) {
    finding.remedy = fmt::format(
        "MALLOC_ARENA_MAX=1 in the environment (one heap for all: about {} less, and threads wait for each "
        "other), or malloc_trim(0) when the work is done (returns {})",
        format_bytes(spared), format_bytes(returns));
    finding.saves_bytes = std::max(spared, returns);
  }
  finding.evidence = {{"arenas", static_cast<std::int64_t>(arenas.count), Unit::count},
                      {"resident_bytes", static_cast<std::int64_t>(arenas.resident_bytes), Unit::bytes},
                      {"free_bytes", static_cast<std::int64_t>(arenas.free_bytes), Unit::bytes},
                      {"trimmable_bytes", static_cast<std::int64_t>(returns), Unit::bytes},
                      {"live_blocks", static_cast<std::int64_t>(arenas.live_blocks), Unit::count},
                      {"peak_live_bytes", static_cast<std::int64_t>(process.totals.peak_live_bytes), Unit::bytes}};
  findings.push_back(std::move(finding));
}

void find_tiny_blocks(const FindingInput& input, Findings& findings) {
  constexpr Bytes kTiny = 64;
  const ProcessReport& process = *input.process;
  const LedgerSnapshot* peak = peak_ledger(process);
  if (peak == nullptr || !peak->heap_exact) return;
  const SiteShare* most = nullptr;
  const auto overhead = [](const SiteShare& share) { return share.slack_bytes + share.live_blocks * 8; };
  for (const SiteShare& share : peak->sites) {
    const bool tiny = share.live_blocks > 0 && share.live_bytes / share.live_blocks < kTiny;
    if (tiny && (most == nullptr || overhead(share) > overhead(*most))) most = &share;
  }
  if (most == nullptr || overhead(*most) < least_notable(process)) return;
  const Bytes bytes = overhead(*most);
  Finding finding =
      make_finding(FindingKind::tiny_blocks, Effect::lowers_peak, Certainty::inference, bytes, peak->phase);
  finding.site = most->site;
  finding.saves_bytes = bytes;
  finding.sentence = fmt::format("{} blocks of {} hold {} but take {}: {} ({}) are headers and rounding.",
                                 format_count(most->live_blocks), words_of(process, most->site),
                                 format_bytes(most->live_bytes), format_bytes(most->live_bytes + bytes),
                                 format_bytes(bytes), format_percent(bytes, most->live_bytes + bytes));
  finding.cause = fmt::format(
      "glibc adds 8 bytes to each block and rounds up to a multiple of 16, at least 32; the average block "
      "here is {} bytes.",
      most->live_bytes / most->live_blocks);
  finding.remedy = "keep such objects in one array or pool instead of one block each";
  finding.evidence = {{"blocks", static_cast<std::int64_t>(most->live_blocks), Unit::count},
                      {"requested_bytes", static_cast<std::int64_t>(most->live_bytes), Unit::bytes},
                      {"overhead_bytes", static_cast<std::int64_t>(bytes), Unit::bytes}};
  findings.push_back(std::move(finding));
}

void find_rounding(const FindingInput& input, Findings& findings) {
  constexpr Bytes kTiny = 64;
  const ProcessReport& process = *input.process;
  const LedgerSnapshot* peak = peak_ledger(process);
  if (peak == nullptr) return;
  const SiteShare* most = largest_share(*peak, &SiteShare::slack_bytes);
  const Bytes slack = peak->row(Owner::heap_slack);
  if (most == nullptr || slack < least_notable(process)) return;
  if (most->live_blocks > 0 && most->live_bytes / most->live_blocks < kTiny) return;  // said by tiny_blocks
  Finding finding = make_finding(FindingKind::rounding, Effect::lowers_peak, Certainty::exact, slack, peak->phase);
  finding.site = most->site;
  finding.saves_bytes = most->slack_bytes;
  finding.sentence =
      fmt::format("The allocator's rounding takes {} at the peak, {} of it at {} ({} blocks).", format_bytes(slack),
                  format_bytes(most->slack_bytes), words_of(process, most->site), format_count(most->live_blocks));
  finding.cause = "Blocks are rounded up to the allocator's size classes.";
  finding.remedy = fmt::format("ask at {} for sizes that fill a size class", words_of(process, most->site));
  finding.evidence = {{"slack_bytes", static_cast<std::int64_t>(slack), Unit::bytes},
                      {"site_slack_bytes", static_cast<std::int64_t>(most->slack_bytes), Unit::bytes}};
  findings.push_back(std::move(finding));
}

void find_allocator_cache(const FindingInput& input, Findings& findings) {
  const ProcessReport& process = *input.process;
  const LedgerSnapshot* worst = worst_snapshot(process, Owner::heap_cached);
  if (worst == nullptr || worst->row(Owner::heap_cached) < least_notable(process)) return;
  const Bytes bytes = worst->row(Owner::heap_cached);
  Finding finding =
      make_finding(FindingKind::allocator_cache, Effect::lowers_what_stays, Certainty::inference, bytes, worst->phase);
  const std::string name = process.allocator.empty() ? "the allocator" : process.allocator;
  finding.sentence = fmt::format("{} are free but kept by {} {}; live blocks are {}.", format_bytes(bytes), name,
                                 when(process, *worst), format_bytes(worst->live_bytes));
  finding.cause =
      "Allocators keep freed pages for a while, or until they are called again: an idle program keeps them.";
  for (const DecayAdvice& advice : kDecayAdvice) {
    if (process.allocator.find(advice.allocator) == std::string::npos) continue;
    finding.remedy = advice.remedy;
    finding.saves_bytes = bytes;
  }
  finding.evidence = {{"cached_bytes", static_cast<std::int64_t>(bytes), Unit::bytes},
                      {"live_bytes", static_cast<std::int64_t>(worst->live_bytes), Unit::bytes}};
  findings.push_back(std::move(finding));
}

}  // namespace memswell::analysis
