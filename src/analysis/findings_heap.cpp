// Findings about what the allocator keeps: free memory, bookkeeping, rounding.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "analysis/course.h"
#include "analysis/finding_rules.h"
#include "base/units.h"

namespace memswell::analysis {
namespace {

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

// Average size of the blocks of the call path that freed most blocks small enough for a fastbin; 0: none.
Bytes small_path_of(const ProcessReport& process, SiteIndex site) {
  constexpr Bytes kLargestFast = 120;  // M_MXFAST: larger blocks merge with the top when they are freed
  const Figures* most = nullptr;
  for (std::size_t i = 0; i < process.stacks.size() && i < process.site_of_stack.size(); ++i) {
    const Figures& figures = process.stacks[i].figures;
    const bool small = figures.calls > 0 && figures.allocated_bytes / figures.calls <= kLargestFast;
    if (process.site_of_stack[i] != site || !small || figures.frees == 0) continue;
    if (most == nullptr || figures.frees > most->frees) most = &figures;
  }
  return most == nullptr ? 0 : std::max<Bytes>(1, most->allocated_bytes / most->calls);
}

// Whose blocks lay where it is free now: the site that has lost most since its highest level.
struct Former {
  SiteIndex site;
  Bytes bytes = 0;
  Bytes largest_block_bytes = 0;
  Bytes small_block_bytes = 0;  // average of a call path whose freed blocks glibc keeps unmerged; 0: none
};
std::optional<Former> former_owner(const FindingInput& input, const LedgerSnapshot& snapshot, Bytes free) {
  const ProcessReport& process = *input.process;
  std::vector<Bytes> highest(process.sites.size(), 0);
  for (const Window& window : *input.windows) {
    if (window.begin_ns > snapshot.time_ns) break;
    for (const SiteWindow& site : window.sites) {
      Bytes& level = highest[site.site.value];
      level = std::max({level, site.live_at_peak_bytes, window.end_ns <= snapshot.time_ns ? site.live_bytes : 0});
    }
  }
  std::vector<Bytes> now(process.sites.size(), 0);
  for (const SiteShare& share : snapshot.sites) now[share.site.value] = share.live_bytes;
  std::optional<Former> most;
  for (std::uint32_t i = 0; i < highest.size(); ++i) {
    const Figures& figures = process.sites[i].figures;
    const Bytes gone = highest[i] - std::min(highest[i], now[i]);
    const bool elsewhere = figures.large_mapped_calls * 2 > figures.calls;  // in mappings of their own
    if (elsewhere || gone * 2 < free || (most && gone <= most->bytes)) continue;
    most = Former{SiteIndex{i}, gone, process.sites[i].largest_block_bytes, 0};
  }
  if (most) most->small_block_bytes = small_path_of(process, most->site);
  return most;
}

bool environment_has(const FindingInput& input, std::string_view variable, std::string_view tunable) {
  return std::any_of(input.environment.begin(), input.environment.end(), [&](const std::string& entry) {
    return entry.starts_with(variable) || entry.find(tunable) != std::string::npos;
  });
}

// glibc's own adaptation of both thresholds ends when one of them is set (mallopt(3)).
Bytes raised_threshold(const FindingInput& input) {
  const bool fixed = environment_has(input, "MALLOC_TRIM_THRESHOLD_=", "malloc.trim_threshold") ||
                     environment_has(input, "MALLOC_MMAP_THRESHOLD_=", "malloc.mmap_threshold") ||
                     environment_has(input, "MALLOC_TOP_PAD_=", "malloc.top_pad") ||
                     environment_has(input, "MALLOC_MMAP_MAX_=", "malloc.mmap_max");
  return fixed ? 0 : input.process->totals.largest_returned_mapping_bytes;
}

constexpr std::string_view kKeepsMappings =
    "GLIBC_TUNABLES=glibc.malloc.mmap_threshold=131072 in the environment, which keeps large blocks in "
    "mappings of their own";

void explain_holes(const FindingInput& input, const LedgerSnapshot& snapshot, const std::optional<Former>& former,
                   Finding& finding) {
  constexpr Bytes kLeastHole = 120 << 10;  // smaller ones are not left by blocks that could have had mappings
  const ProcessReport& process = *input.process;
  const Bytes threshold = raised_threshold(input);
  const Site* large = largest_large_heap_site(process);
  const bool of_others = former && large != &site_of(process, former->site);
  if (threshold > 0 && large != nullptr && snapshot.largest_piece_bytes >= kLeastHole && !of_others) {
    finding.cause = fmt::format(
        " Freeing a block of {} raised glibc's mmap threshold to that size: since then large blocks come out of the "
        "heap ({} of them at {}), and the holes they leave are not given back.",
        format_bytes(threshold), format_count(large->figures.large_heap_calls),
        words_of(process, SiteIndex{static_cast<std::uint32_t>(large - process.sites.data())}));
    finding.remedy = fmt::format("{}; or {}", kKeepsMappings, finding.remedy);
  }
  const ArenaRow* heap = main_heap(snapshot);
  if (heap == nullptr || heap->live_blocks == 0) return;
  const std::string highest = words_of(process, heap->highest_site);
  finding.cause += fmt::format(
      " It lies below live blocks, the highest of {}: glibc gives memory back only from the top of its heap.", highest);
  finding.site = heap->highest_site;
  if (finding.cause.starts_with(" It lies")) finding.remedy += fmt::format(", or free the blocks of {} with the rest", highest);
}

void explain_top(const FindingInput& input, const LedgerSnapshot& snapshot, const std::optional<Former>& former,
                 Finding& finding) {
  const Bytes threshold = raised_threshold(input);
  if (environment_has(input, "MALLOC_TRIM_THRESHOLD_=", "malloc.trim_threshold")) {
    finding.cause = " The environment sets glibc's trim threshold, and the top of the heap stays below it.";
    finding.remedy += ", or lower the threshold";
  } else if (threshold > 0 && snapshot.top_bytes <= 2 * threshold + (Bytes{1} << 20)) {
    finding.cause =
        fmt::format(" Freeing a block of {} raised glibc's trim threshold to {}: the top of the heap stays below it.",
                    format_bytes(threshold), format_bytes(2 * threshold));
    finding.remedy = "GLIBC_TUNABLES=glibc.malloc.trim_threshold=131072 in the environment, or " + finding.remedy;
  } else if (former && former->small_block_bytes > 0) {
    finding.cause = fmt::format(
        " Freed blocks of up to 120 bytes (here of {} on average) are kept aside unmerged, in fastbins and thread caches, "
        "so that glibc does not see how much of the heap's top is free.",
        former->small_block_bytes);
  } else {
    finding.cause =
        " It is the top of the heap, which glibc gives back by itself when more than its trim threshold is free and "
        "merged: a threshold set by mallopt, or small blocks kept aside unmerged, hold it.";
    finding.certainty = Certainty::inference;
  }
}

std::string pieces_words(const ProcessReport& process, const LedgerSnapshot& snapshot) {
  if (snapshot.free_pieces == 0) return {};
  std::string text = snapshot.free_pieces == 1 ? ", in one piece" : fmt::format(", in {} pieces", format_count(snapshot.free_pieces));
  if (snapshot.free_pieces > 1) text += fmt::format(", the largest of {}", format_bytes(snapshot.largest_piece_bytes));
  if (!snapshot.piece_holder) return text + (snapshot.free_pieces == 1 ? " at its top" : " at the top");
  return text + fmt::format(" below a live block of {} ({} bytes)", words_of(process, *snapshot.piece_holder),
                            snapshot.piece_holder_bytes);
}

struct DecayAdvice {
  std::string_view allocator;
  std::string_view remedy;
};
constexpr std::array kDecayAdvice{
    DecayAdvice{
        "jemalloc",
        "MALLOC_CONF=dirty_decay_ms:0,muzzy_decay_ms:0, or background_thread:true so that idle programs decay too"},
    DecayAdvice{"mimalloc",
                "MIMALLOC_PURGE_DELAY=0 (before mimalloc 2.1: MIMALLOC_RESET_DELAY=0), or mi_collect(true) when the work "
                "is done; of 64 KiB that hold a live block nothing goes back"},
    DecayAdvice{"tcmalloc",
                "TCMALLOC_AGGRESSIVE_DECOMMIT=true, or MallocExtension::ReleaseFreeMemory() when the work is done"},
};

}  // namespace

void find_trimmable(const FindingInput& input, Findings& findings) {
  const ProcessReport& process = *input.process;
  const LedgerSnapshot* worst = largest_snapshot(process, trimmable_of);
  if (worst == nullptr || trimmable_of(*worst) < least_notable(process)) return;
  const Bytes bytes = trimmable_of(*worst);
  Finding finding =
      make_finding(FindingKind::trimmable, Effect::lowers_what_stays, heap_certainty(*worst), bytes, worst->phase);
  finding.saves_bytes = bytes;
  finding.sentence = fmt::format(
      "{} are free inside the heap {} but stay resident, in whole pages{}; the program's blocks there "
      "are {} ({}).",
      format_bytes(bytes), when(process, *worst), pieces_words(process, *worst), format_bytes(worst->live_bytes),
      format_count(worst->live_blocks));
  finding.remedy = "call malloc_trim(0) when this work is done";
  const std::optional<Former> former = former_owner(input, *worst, bytes);
  if (worst->top_bytes * 2 > bytes) {
    explain_top(input, *worst, former, finding);
  } else {
    explain_holes(input, *worst, former, finding);
  }
  if (former) {
    if (!finding.site) finding.site = former->site;
    const std::optional<SiteGrowth> growth = growth_of(input, former->site);
    finding.cause = fmt::format(" It was held by blocks of {}, of up to {}: {} more than now{}.",
                                words_of(process, former->site), format_bytes(former->largest_block_bytes),
                                format_bytes(former->bytes),
                                growth ? fmt::format(", after growing by {} in each of {} {}",
                                                     format_bytes(growth->bytes / growth->steps), growth->steps,
                                                     growth->phases ? "phases" : "stretches")
                                       : "") +
                    finding.cause;
  }
  finding.cause = (finding.cause + course_after(process, *worst, trimmable_of)).substr(finding.cause.empty() ? 0 : 1);
  finding.evidence = {{"trimmable_bytes", static_cast<std::int64_t>(bytes), Unit::bytes},
                      {"top_bytes", static_cast<std::int64_t>(worst->top_bytes), Unit::bytes},
                      {"pieces", static_cast<std::int64_t>(worst->free_pieces), Unit::count},
                      {"largest_piece_bytes", static_cast<std::int64_t>(worst->largest_piece_bytes), Unit::bytes},
                      {"formerly_live_bytes", static_cast<std::int64_t>(former ? former->bytes : 0), Unit::bytes},
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
  finding.cause = "Blocks that live long lie between blocks that live short." +
                  course_after(process, *worst, [](const LedgerSnapshot& s) { return s.row(Owner::heap_pinned); });
  finding.remedy =
      fmt::format("give the blocks of {} a place of their own: a pool, or allocated before the short-lived ones",
                  words_of(process, most->site));
  if (most->returns_known) {
    finding.saves_bytes = most->returns_bytes;
    finding.remedy +=
        fmt::format("; without them malloc_trim(0) would return {} more", format_bytes(most->returns_bytes));
    if (most->returns_bound_bytes * 100 > most->returns_bytes)
      finding.remedy += fmt::format(" (up to {} less, if the thread that frees them keeps the last ones in its cache)",
                                    format_bytes(most->returns_bound_bytes));
  }
  finding.evidence = {{"pinned_bytes", static_cast<std::int64_t>(pinned), Unit::bytes},
                      {"pinned_by_site_bytes", static_cast<std::int64_t>(most->pinned_bytes), Unit::bytes},
                      {"site_live_bytes", static_cast<std::int64_t>(most->live_bytes), Unit::bytes},
                      {"site_live_blocks", static_cast<std::int64_t>(most->live_blocks), Unit::count},
                      {"returns_bytes", static_cast<std::int64_t>(most->returns_bytes), Unit::bytes},
                      {"returns_bound_bytes", static_cast<std::int64_t>(most->returns_bound_bytes), Unit::bytes}};
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
      "Allocators keep freed pages for a while, or until they are called again: an idle program keeps them." +
      course_after(process, *worst, [](const LedgerSnapshot& s) { return s.row(Owner::heap_cached); });
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
