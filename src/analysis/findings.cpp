#include "analysis/findings.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "analysis/course.h"
#include "analysis/finding_rules.h"
#include "analysis/words.h"

namespace memswell::analysis {
namespace {

constexpr std::array<Rule, 32> kRules{find_trimmable,
                                      find_pinned,
                                      find_arenas,
                                      find_tiny_blocks,
                                      find_rounding,
                                      find_allocator_cache,
                                      find_transient_peak,
                                      find_growth,
                                      find_unfreed,
                                      find_temporary,
                                      find_growing_buffers,
                                      find_moving_reallocs,
                                      find_untouched,
                                      find_lazy_calloc,
                                      find_overallocated,
                                      find_pool_idle,
                                      find_free_list,
                                      find_idle,
                                      find_files,
                                      find_shared_memory,
                                      find_stacks,
                                      find_mapped,
                                      find_lazily_freed,
                                      find_reserved,
                                      find_outside_heap,
                                      find_huge_pages,
                                      find_copy_on_write,
                                      find_inner_allocator,
                                      find_events_lost,
                                      find_not_preloaded,
                                      find_peak_between_samples,
                                      find_unnamed};

constexpr Bytes kLeastNotable = Bytes{2} << 20;
constexpr Bytes kShareOfPeak = 50;  // 2 %

}  // namespace

Bytes least_notable(const ProcessReport& process) {
  return std::max(kLeastNotable, process.totals.peak_rss_bytes / kShareOfPeak);
}

const LedgerSnapshot* worst_snapshot(const ProcessReport& process, Owner owner) {
  return largest_snapshot(process, [owner](const LedgerSnapshot& snapshot) { return snapshot.row(owner); });
}

const LedgerSnapshot* peak_ledger(const ProcessReport& process) {
  return process.peak_snapshot < 0 ? nullptr : &process.snapshots[static_cast<std::size_t>(process.peak_snapshot)];
}

std::string when(const ProcessReport& process, const LedgerSnapshot& snapshot) {
  if (snapshot.cause == trace::SnapshotCause::phase && process.phases.size() > 1 && !snapshot.phase.empty())
    return fmt::format("at the begin of phase \"{}\"", snapshot.phase);
  return moment_words(process, snapshot.phase, snapshot.time_ns);
}

const Site& site_of(const ProcessReport& process, SiteIndex site) { return process.sites[site.value]; }
std::string words_of(const ProcessReport& process, SiteIndex site) { return site_words(site_of(process, site)); }

const SiteShare* largest_share(const LedgerSnapshot& snapshot, Bytes SiteShare::*member) {
  const SiteShare* largest = nullptr;
  for (const SiteShare& share : snapshot.sites) {
    if (share.*member > (largest == nullptr ? 0 : largest->*member)) largest = &share;
  }
  return largest;
}

Finding make_finding(FindingKind kind, Effect effect, Certainty certainty, Bytes bytes, const std::string& phase) {
  Finding finding;
  finding.kind = kind;
  finding.effect = effect;
  finding.certainty = certainty;
  finding.bytes = bytes;
  finding.phase = phase;
  return finding;
}

Certainty heap_certainty(const LedgerSnapshot& snapshot) {
  return snapshot.heap_exact ? Certainty::exact : Certainty::inference;
}

namespace {

// A peak of live blocks is often the work itself: what stays afterwards, or is needed twice, weighs more.
Bytes weight(const Finding& finding) {
  return finding.kind == FindingKind::transient_peak ? finding.saves_bytes / 2 : finding.saves_bytes;
}

// What explains a large part of the footprint comes before a small saving.
std::uint32_t rank(const Finding& finding, Bytes peak) {
  if (weight(finding) > 0 && weight(finding) >= peak / 10) return 0;
  if (finding.bytes >= peak / 4 && finding.kind != FindingKind::unfreed) return 1;
  return 2;
}

// Does `other` tell the same with its cause?
bool says_more(const Finding& other, const Finding& finding) {
  if (finding.kind == FindingKind::outside_heap) return other.kind == FindingKind::inner_allocator;
  if (other.kind == FindingKind::outside_heap) {
    return finding.kind == FindingKind::mapped_memory || finding.kind == FindingKind::shared_memory ||
           finding.kind == FindingKind::file_pages;
  }
  if (finding.kind == FindingKind::mapped_memory) {
    return other.kind == FindingKind::huge_pages || other.kind == FindingKind::lazily_freed ||
           other.kind == FindingKind::inner_allocator;
  }
  const bool same_buffer = other.kind == FindingKind::realloc_growth && other.site == finding.site;
  return finding.kind == FindingKind::transient_peak && same_buffer;
}

bool is_said_already(const Finding& finding, const Findings& findings) {
  return std::any_of(findings.begin(), findings.end(), [&](const Finding& other) {
    return says_more(other, finding) && other.bytes * 2 >= finding.bytes;
  });
}

}  // namespace

std::vector<Finding> find_findings(const FindingInput& input) {
  Findings all;
  for (const Rule rule : kRules) rule(input, all);
  Findings findings;
  for (const Finding& finding : all) {
    if (!is_said_already(finding, all)) findings.push_back(finding);
  }
  const Bytes peak = input.process->totals.peak_rss_bytes;
  std::stable_sort(findings.begin(), findings.end(), [&](const Finding& a, const Finding& b) {
    if (rank(a, peak) != rank(b, peak)) return rank(a, peak) < rank(b, peak);
    return weight(a) != weight(b) ? weight(a) > weight(b) : a.bytes > b.bytes;
  });
  return findings;
}

}  // namespace memswell::analysis
