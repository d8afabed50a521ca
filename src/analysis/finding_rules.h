// The rules behind findings.h, one function a kind (two where a kind has two faces), and what they share.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "analysis/findings.h"
#include "analysis/ledger_model.h"

namespace memswell::analysis {

// Below this nothing is notable: 2 % of the peak RSS, but at least 2 MiB.
Bytes least_notable(const ProcessReport& process);

// The snapshot in which a row is largest; null: no snapshots.
const LedgerSnapshot* worst_snapshot(const ProcessReport& process, Owner owner);
const LedgerSnapshot* peak_ledger(const ProcessReport& process);

// "in phase \"load\"" or "at 2.4 s".
std::string when(const ProcessReport& process, const LedgerSnapshot& snapshot);
const Site& site_of(const ProcessReport& process, SiteIndex site);
std::string words_of(const ProcessReport& process, SiteIndex site);

// The share with the largest value of a member; null: all are zero.
const SiteShare* largest_share(const LedgerSnapshot& snapshot, Bytes SiteShare::*member);

// All heaps but the main one.
struct ArenaSum {
  std::size_t count = 0;
  Bytes resident_bytes = 0;
  Bytes live_bytes = 0;
  Bytes free_bytes = 0;
  Bytes trimmable_bytes = 0;
  Bytes largest_bytes = 0;
  std::uint64_t live_blocks = 0;
};
ArenaSum sum_arenas(const LedgerSnapshot& snapshot);

// Live blocks of one site that grew from moment to moment.
struct SiteGrowth {
  SiteIndex site;
  Bytes from_bytes = 0;
  Bytes bytes = 0;        // in all
  std::size_t steps = 0;  // at least three
  bool phases = false;    // from phase to phase; else stretches of the run
  std::string last_phase;
};
// Of the site that grew most, or of the one asked for.
std::optional<SiteGrowth> growth_of(const FindingInput& input, std::optional<SiteIndex> site = std::nullopt);

// How much a peak of this moment stands above what was before and after it: no remedy for it can save more.
Bytes rise_of_peak(const ProcessReport& process, Nanoseconds time);

Finding make_finding(FindingKind kind, Effect effect, Certainty certainty, Bytes bytes, const std::string& phase);
Certainty heap_certainty(const LedgerSnapshot& snapshot);

using Findings = std::vector<Finding>;
using Rule = void (*)(const FindingInput&, Findings&);

// findings_heap.cpp
void find_trimmable(const FindingInput& input, Findings& findings);
void find_pinned(const FindingInput& input, Findings& findings);
void find_tiny_blocks(const FindingInput& input, Findings& findings);
void find_rounding(const FindingInput& input, Findings& findings);
void find_allocator_cache(const FindingInput& input, Findings& findings);
// findings_arenas.cpp
void find_arenas(const FindingInput& input, Findings& findings);
// findings_sites.cpp
void find_transient_peak(const FindingInput& input, Findings& findings);
void find_growth(const FindingInput& input, Findings& findings);
void find_unfreed(const FindingInput& input, Findings& findings);
void find_temporary(const FindingInput& input, Findings& findings);
// findings_growth.cpp
void find_growing_buffers(const FindingInput& input, Findings& findings);
void find_moving_reallocs(const FindingInput& input, Findings& findings);
// findings_unused.cpp
void find_untouched(const FindingInput& input, Findings& findings);
void find_lazy_calloc(const FindingInput& input, Findings& findings);
void find_overallocated(const FindingInput& input, Findings& findings);
void find_pool_idle(const FindingInput& input, Findings& findings);
void find_free_list(const FindingInput& input, Findings& findings);
// findings_idle.cpp
void find_idle(const FindingInput& input, Findings& findings);
// findings_mappings.cpp
void find_files(const FindingInput& input, Findings& findings);
void find_shared_memory(const FindingInput& input, Findings& findings);
void find_stacks(const FindingInput& input, Findings& findings);
void find_mapped(const FindingInput& input, Findings& findings);
void find_lazily_freed(const FindingInput& input, Findings& findings);
void find_huge_pages(const FindingInput& input, Findings& findings);
void find_inner_allocator(const FindingInput& input, Findings& findings);
// findings_outside.cpp
void find_reserved(const FindingInput& input, Findings& findings);
void find_outside_heap(const FindingInput& input, Findings& findings);
// findings_fork.cpp
void find_copy_on_write(const FindingInput& input, Findings& findings);
// findings_capture.cpp
void find_events_lost(const FindingInput& input, Findings& findings);
void find_not_preloaded(const FindingInput& input, Findings& findings);
void find_peak_between_samples(const FindingInput& input, Findings& findings);
void find_unnamed(const FindingInput& input, Findings& findings);

}  // namespace memswell::analysis
