// Findings about memory that was asked for and is not used: untouched, overallocated, parked on free lists.
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <map>

#include "analysis/finding_rules.h"
#include "analysis/pulses.h"
#include "analysis/words.h"
#include "base/units.h"

namespace memswell::analysis {
namespace {

bool mostly_calloc(const Site& site) { return site.figures.calloc_bytes * 2 > site.figures.allocated_bytes; }

struct Untouched {
  const LedgerSnapshot* snapshot = nullptr;
  const SiteShare* share = nullptr;
};

// Snapshots of moments that somebody asked for tell what stays untouched; those of peaks come while memory is being
// filled.
bool is_steady(const LedgerSnapshot& snapshot) {
  return snapshot.cause == trace::SnapshotCause::phase || snapshot.cause == trace::SnapshotCause::exit ||
         snapshot.cause == trace::SnapshotCause::mark;
}

// The site and snapshot with the most bytes never touched.
Untouched most_untouched(const ProcessReport& process, bool by_calloc) {
  Untouched most;
  for (const LedgerSnapshot& snapshot : process.snapshots) {
    if (!is_steady(snapshot) && &snapshot != &process.snapshots.back()) continue;
    for (const SiteShare& share : snapshot.sites) {
      if (mostly_calloc(site_of(process, share.site)) != by_calloc) continue;
      if (most.share == nullptr || share.untouched_bytes > most.share->untouched_bytes) most = {&snapshot, &share};
    }
  }
  return most;
}

// "pass-2" and "pass 1" are the same work: the name without its digits.
std::string stem_of(const std::string& name) {
  std::string stem;
  for (const char c : name) {
    if (std::isdigit(static_cast<unsigned char>(c)) == 0) stem += c;
  }
  return stem;
}

// The windows of each time that the same work was done: phases of one stem, the stem that comes most often.
std::vector<const Phase*> passes_of(const ProcessReport& process) {
  std::map<std::string, std::vector<const Phase*>> by_stem;
  for (const Phase& phase : process.phases) by_stem[stem_of(phase.name)].push_back(&phase);
  std::vector<const Phase*> passes;
  Bytes most = 0;
  for (const auto& [stem, phases] : by_stem) {
    Bytes allocated = 0;
    for (const Phase* phase : phases) allocated += phase->allocated_bytes;
    if (phases.size() >= 2 && allocated > most) {
      passes = phases;
      most = allocated;
    }
  }
  return passes;
}

struct SitePass {
  Bytes allocated_bytes = 0;
  std::uint64_t calls = 0;
  std::uint64_t frees = 0;
};

SitePass in_phase(const std::vector<Window>& windows, SiteIndex site, const Phase& phase) {
  SitePass sum;
  for (const Window& window : windows) {
    if (window.begin_ns < phase.begin_ns || window.end_ns > phase.end_ns) continue;
    for (const SiteWindow& entry : window.sites) {
      if (entry.site != site) continue;
      sum.allocated_bytes += entry.allocated_bytes;
      sum.calls += entry.calls;
      sum.frees += entry.frees;
    }
  }
  return sum;
}

// All its blocks in the first pass, none freed then or between the passes, and nothing in later passes although they do
// as much work. `at_last`: live when the last pass has ended.
bool looks_like_free_list(const std::vector<Window>& windows, SiteIndex site, const std::vector<const Phase*>& passes,
                          Bytes at_last) {
  constexpr std::uint64_t kLeastCalls = 16;
  const SitePass first = in_phase(windows, site, *passes.front());
  if (first.calls < kLeastCalls || first.frees > 0 || at_last * 10 < first.allocated_bytes * 9) return false;
  const Bytes work = passes.front()->allocated_bytes - first.allocated_bytes;
  for (std::size_t i = 1; i < passes.size(); ++i) {
    const SitePass later = in_phase(windows, site, *passes[i]);
    const bool as_much_work = passes[i]->allocated_bytes * 2 >= work;
    if (later.frees > 0 || later.allocated_bytes * 10 > first.allocated_bytes || !as_much_work) return false;
  }
  return true;
}

// Where, of the moments after `first`, most of the site's blocks was resident; null: never more than there.
const LedgerSnapshot* most_resident_later(const ProcessReport& process, const LedgerSnapshot& first, SiteIndex site,
                                          Bytes& resident) {
  const LedgerSnapshot* later = nullptr;
  for (const LedgerSnapshot& snapshot : process.snapshots) {
    if (snapshot.time_ns <= first.time_ns) continue;
    for (const SiteShare& share : snapshot.sites) {
      if (share.site != site || share.resident_bytes <= resident) continue;
      resident = share.resident_bytes;
      later = &snapshot;
    }
  }
  return later;
}

std::string lazy_calloc_sentence(const ProcessReport& process, const LedgerSnapshot& snapshot, const SiteShare& share) {
  std::string out = fmt::format("calloc handed out {} at {}, of which {} are resident {}", format_bytes(share.live_bytes),
                                words_of(process, share.site), format_bytes(share.resident_bytes), when(process, snapshot));
  Bytes resident = share.resident_bytes + least_notable(process);
  if (const LedgerSnapshot* later = most_resident_later(process, snapshot, share.site, resident))
    out += fmt::format(", and {} {}", format_bytes(resident), when(process, *later));
  if (snapshot.beside.zero_read_bytes != 0)
    out += fmt::format("; {} of the process's pages were only read and map the kernel's zero page",
                       format_bytes(snapshot.beside.zero_read_bytes));
  return out + ".";
}

// What the heap keeps of blocks that the rising threshold sent there: larger ones are mapped always, and no more can come
// back than was seen to lie there.
Bytes saved_by_mapping(const ProcessReport& process, const Site& site) {
  constexpr Bytes kHighestThreshold = Bytes{32} << 20;
  const Bytes most = std::min(site.largest_block_bytes, kHighestThreshold);
  const LedgerSnapshot* worst = worst_snapshot(process, Owner::heap_trimmable);
  const Bytes kept = worst != nullptr ? worst->row(Owner::heap_trimmable) : 0;
  return kept != 0 ? std::min(most, kept) : most;
}

std::string why_tails_are_resident(const Site& site, const SiteShare& share) {
  const bool mapped = site.figures.large_mapped_calls > 0 && site.figures.large_heap_calls == 0;
  if (mapped && share.live_blocks > 0 && share.live_bytes / share.live_blocks >= Bytes{128} << 10)
    return "The program wrote the unused tails itself, clearing them, say: fresh memory is not resident before.";
  return "The unused tails lie in recycled memory that was resident already, or were written before.";
}

}  // namespace

void find_untouched(const FindingInput& input, Findings& findings) {
  const ProcessReport& process = *input.process;
  const Untouched most = most_untouched(process, false);
  if (most.share == nullptr || most.share->untouched_bytes < least_notable(process)) return;
  const SiteShare& share = *most.share;
  Finding finding = make_finding(FindingKind::overallocated_untouched, Effect::informs, Certainty::exact,
                                 share.untouched_bytes, most.snapshot->phase);
  finding.site = share.site;
  finding.sentence =
      fmt::format("{} of {} in live blocks of {} were never touched {}: {} are resident.",
                  format_bytes(share.untouched_bytes), format_bytes(share.live_bytes), words_of(process, share.site),
                  when(process, *most.snapshot), format_bytes(share.resident_bytes));
  finding.cause = "Capacity that was reserved and not used yet costs address space, not memory.";
  finding.evidence = {{"untouched_bytes", static_cast<std::int64_t>(share.untouched_bytes), Unit::bytes},
                      {"live_bytes", static_cast<std::int64_t>(share.live_bytes), Unit::bytes},
                      {"resident_bytes", static_cast<std::int64_t>(share.resident_bytes), Unit::bytes}};
  findings.push_back(std::move(finding));
}

void find_lazy_calloc(const FindingInput& input, Findings& findings) {
  const ProcessReport& process = *input.process;
  const Untouched most = most_untouched(process, true);
  const bool lazy =
      most.share != nullptr &&
      most.share->live_bytes - std::min(most.share->live_bytes, most.share->resident_bytes) >= least_notable(process);
  if (lazy) {
    const SiteShare& share = *most.share;
    const Bytes spared = share.live_bytes - share.resident_bytes;
    Finding finding =
        make_finding(FindingKind::lazy_calloc, Effect::informs, Certainty::exact, spared, most.snapshot->phase);
    finding.site = share.site;
    finding.sentence = lazy_calloc_sentence(process, *most.snapshot, share);
    finding.cause = "Fresh memory from the kernel is zero already: a page costs nothing until it is written.";
    finding.evidence = {
        {"calloc_bytes", static_cast<std::int64_t>(share.live_bytes), Unit::bytes},
        {"resident_bytes", static_cast<std::int64_t>(share.resident_bytes), Unit::bytes},
        {"zero_read_bytes", static_cast<std::int64_t>(most.snapshot->beside.zero_read_bytes), Unit::bytes}};
    findings.push_back(std::move(finding));
  }
  for (std::uint32_t i = 0; i < process.sites.size(); ++i) {
    const Site& site = process.sites[i];
    const bool trapped =
        mostly_calloc(site) && site.figures.large_mapped_calls > 0 && site.figures.large_heap_calls > 1;
    const Bytes saves = trapped ? saved_by_mapping(process, site) : 0;
    if (!trapped || saves < least_notable(process)) continue;
    Finding finding = make_finding(FindingKind::lazy_calloc, Effect::lowers_what_stays, Certainty::inference, saves, "");
    finding.site = SiteIndex{i};
    const std::uint64_t mapped = site.figures.large_mapped_calls;
    finding.sentence = fmt::format(
        "{} large blocks were calloc'ed at {}: the first {}, {} out of the heap, where the allocator clears recycled "
        "memory itself and so makes it resident.",
        mapped + site.figures.large_heap_calls, site_words(site),
        mapped == 1 ? "in a mapping of its own" : fmt::format("{} in mappings of their own", mapped),
        site.figures.large_heap_calls);
    finding.cause =
        "Freeing a block with a mapping of its own raises glibc's mmap threshold to its size (up to 32 MiB).";
    finding.remedy = "GLIBC_TUNABLES=glibc.malloc.mmap_threshold=131072 in the environment";
    finding.saves_bytes = saves;
    finding.evidence = {{"mapped_calls", static_cast<std::int64_t>(site.figures.large_mapped_calls), Unit::count},
                        {"heap_calls", static_cast<std::int64_t>(site.figures.large_heap_calls), Unit::count},
                        {"largest_block_bytes", static_cast<std::int64_t>(site.largest_block_bytes), Unit::bytes}};
    findings.push_back(std::move(finding));
  }
}

void find_overallocated(const FindingInput& input, Findings& findings) {
  const ProcessReport& process = *input.process;
  const LedgerSnapshot* worst = nullptr;
  for (const LedgerSnapshot& snapshot : process.snapshots) {
    if (worst == nullptr || snapshot.beside.overallocated_bytes > worst->beside.overallocated_bytes) worst = &snapshot;
  }
  if (worst == nullptr || worst->beside.overallocated_bytes < least_notable(process)) return;
  const SiteShare* most = largest_share(*worst, &SiteShare::overallocated_bytes);
  if (most == nullptr) return;
  // What is untouched lies in the unused part: nobody writes beyond what is used.
  const Bytes touched = most->overallocated_bytes - std::min(most->overallocated_bytes, most->untouched_bytes);
  Finding finding = make_finding(FindingKind::overallocated_touched, Effect::lowers_peak, Certainty::exact,
                                 most->overallocated_bytes, worst->phase);
  finding.site = most->site;
  finding.saves_bytes = touched;
  finding.sentence = fmt::format(
      "Blocks of {} hold {} of data in {} requested {}: {} are overallocated, {} of that on resident pages.",
      words_of(process, most->site), format_bytes(most->live_bytes - most->overallocated_bytes),
      format_bytes(most->live_bytes), when(process, *worst), format_bytes(most->overallocated_bytes),
      format_bytes(touched));
  finding.cause = touched * 2 > most->overallocated_bytes
                      ? why_tails_are_resident(process.sites[most->site.value], *most)
                      : "Tails that were never written have no pages: they cost address space.";
  if (touched >= least_notable(process)) finding.remedy = "shrink to fit when a block is complete, or grow by less";
  finding.evidence = {{"overallocated_bytes", static_cast<std::int64_t>(most->overallocated_bytes), Unit::bytes},
                      {"resident_overallocated_bytes", static_cast<std::int64_t>(touched), Unit::bytes},
                      {"requested_bytes", static_cast<std::int64_t>(most->live_bytes), Unit::bytes}};
  findings.push_back(std::move(finding));
}

void find_pool_idle(const FindingInput& input, Findings& findings) {
  const ProcessReport& process = *input.process;
  const LedgerSnapshot* worst = worst_snapshot(process, Owner::pool_idle);
  if (worst == nullptr || worst->row(Owner::pool_idle) < least_notable(process)) return;
  const Bytes idle = worst->row(Owner::pool_idle);
  Finding finding =
      make_finding(FindingKind::free_list, Effect::lowers_what_stays, Certainty::exact, idle, worst->phase);
  finding.saves_bytes = idle;
  finding.sentence =
      fmt::format("{} are parked on the program's own free list {}: in use for malloc, idle for the program.",
                  format_bytes(idle), when(process, *worst));
  finding.cause =
      "The program said so (memswell_pool_free). A free list keeps the most it ever needed, for one kind of object.";
  finding.remedy = "give empty blocks of the pool back, or bound its length";
  finding.evidence = {{"pool_idle_bytes", static_cast<std::int64_t>(idle), Unit::bytes},
                      {"live_bytes", static_cast<std::int64_t>(worst->live_bytes), Unit::bytes}};
  findings.push_back(std::move(finding));
}

void find_free_list(const FindingInput& input, Findings& findings) {
  const ProcessReport& process = *input.process;
  const std::vector<const Phase*> passes = passes_of(process);
  if (passes.size() < 2) return;
  const std::vector<Bytes> at_last = SiteLevels(*input.windows, process.sites.size()).at(passes.back()->end_ns);
  for (std::uint32_t i = 0; i < process.sites.size(); ++i) {
    const Site& site = process.sites[i];
    if (site.figures.allocated_bytes < least_notable(process)) continue;
    if (!looks_like_free_list(*input.windows, SiteIndex{i}, passes, at_last[i])) continue;
    const Bytes kept = in_phase(*input.windows, SiteIndex{i}, *passes.front()).allocated_bytes;
    Finding finding = make_finding(FindingKind::free_list, Effect::lowers_what_stays, Certainty::inference, kept,
                                   passes.front()->name);
    finding.site = SiteIndex{i};
    finding.saves_bytes = kept;
    finding.sentence = fmt::format(
        "{} looks like a free list: {} in {} blocks allocated in \"{}\", none freed, and next to nothing in {} "
        "later passes of the same work.",
        site_words(site), format_bytes(kept),
        format_count(in_phase(*input.windows, SiteIndex{i}, *passes.front()).calls), passes.front()->name,
        passes.size() - 1);
    finding.cause = "What the first pass made is kept for the next and can serve nothing else.";
    finding.remedy = "give empty blocks back, bound the list, or allocate the objects from the general allocator";
    finding.evidence = {
        {"kept_bytes", static_cast<std::int64_t>(kept), Unit::bytes},
        {"passes", static_cast<std::int64_t>(passes.size()), Unit::count},
        {"first_pass_peak_rss_bytes", static_cast<std::int64_t>(passes.front()->peak_rss_bytes), Unit::bytes},
        {"second_pass_peak_rss_bytes", static_cast<std::int64_t>(passes[1]->peak_rss_bytes), Unit::bytes}};
    findings.push_back(std::move(finding));
  }
}

}  // namespace memswell::analysis
