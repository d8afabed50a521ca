#include "analysis/findings.h"

#include <algorithm>
#include <array>

#include "analysis/finding_rules.h"
#include "analysis/words.h"

namespace memswell::analysis {
namespace {

constexpr std::array<Rule, 30> kRules{find_trimmable,
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
                                      find_files,
                                      find_shared_memory,
                                      find_stacks,
                                      find_mapped,
                                      find_lazily_freed,
                                      find_reserved,
                                      find_huge_pages,
                                      find_copy_on_write,
                                      find_inner_allocator,
                                      find_events_lost,
                                      find_not_preloaded,
                                      find_peak_between_samples,
                                      find_unnamed};

constexpr Bytes kLeastNotable = Bytes{1} << 20;
constexpr Bytes kShareOfPeak = 50;  // 2 %

}  // namespace

Bytes least_notable(const ProcessReport& process) {
  return std::max(kLeastNotable, process.totals.peak_rss_bytes / kShareOfPeak);
}

const LedgerSnapshot* worst_snapshot(const ProcessReport& process, Owner owner) {
  const LedgerSnapshot* worst = nullptr;
  for (const LedgerSnapshot& snapshot : process.snapshots) {
    if (worst == nullptr || snapshot.row(owner) > worst->row(owner)) worst = &snapshot;
  }
  return worst;
}

const LedgerSnapshot* peak_ledger(const ProcessReport& process) {
  return process.peak_snapshot < 0 ? nullptr : &process.snapshots[static_cast<std::size_t>(process.peak_snapshot)];
}

std::string when(const ProcessReport& process, const LedgerSnapshot& snapshot) {
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

std::vector<Finding> find_findings(const FindingInput& input) {
  Findings findings;
  for (const Rule rule : kRules) rule(input, findings);
  std::stable_sort(findings.begin(), findings.end(), [](const Finding& a, const Finding& b) {
    return a.saves_bytes != b.saves_bytes ? a.saves_bytes > b.saves_bytes : a.bytes > b.bytes;
  });
  return findings;
}

}  // namespace memswell::analysis
