#include "analysis/site_figures.h"

#include <algorithm>
#include <map>

namespace memswell::analysis {
namespace {

// Every site that the process allocated or mapped at, or whose inherited blocks it holds.
std::map<SiteIndex, Site> collect(const ProcessReport& report, const StackBook& book) {
  std::map<SiteIndex, Site> sites;
  const auto at = [&](SiteIndex index) -> Site& { return sites.try_emplace(index, book.site(index)).first->second; };
  std::map<SiteIndex, Bytes> largest;
  for (const StackFigures& entry : report.stacks) {
    const SiteIndex index = book.site_of(entry.stack);
    Site& site = at(index);
    add(site.figures, entry.figures);
    if (entry.figures.allocated_bytes >= largest[index]) {
      largest[index] = entry.figures.allocated_bytes;
      site.example = entry.stack;
    }
  }
  for (const LedgerSnapshot& snapshot : report.snapshots) {
    for (const SiteShare& share : snapshot.sites) at(share.site);
    if (snapshot.piece_holder) at(*snapshot.piece_holder);
    for (const ArenaRow& arena : snapshot.arenas) {
      if (arena.live_blocks > 0) at(arena.highest_site);
    }
  }
  return sites;
}

void add_shares(const ProcessReport& report, std::map<SiteIndex, Site>& sites) {
  if (report.peak_snapshot >= 0) {
    for (const SiteShare& share : report.snapshots[static_cast<std::size_t>(report.peak_snapshot)].sites) {
      sites[share.site].untouched_bytes = share.untouched_bytes;
      sites[share.site].mapped_resident_bytes = share.mapped_bytes;
    }
  }
  if (report.exit_snapshot >= 0) {
    for (const SiteShare& share : report.snapshots[static_cast<std::size_t>(report.exit_snapshot)].sites) {
      sites[share.site].untouched_at_exit_bytes = share.untouched_bytes;
      sites[share.site].pinned_bytes = share.pinned_bytes;
      sites[share.site].overallocated_bytes = share.overallocated_bytes;
    }
  }
}

}  // namespace

void add(Figures& sum, const Figures& part) {
  sum.calls += part.calls;
  sum.allocated_bytes += part.allocated_bytes;
  sum.frees += part.frees;
  sum.temporary += part.temporary;
  sum.live_blocks += part.live_blocks;
  sum.live_bytes += part.live_bytes;
  sum.slack_bytes += part.slack_bytes;
  sum.peak_live_bytes += part.peak_live_bytes;  // an upper bound; fill_sites puts the exact one there
  sum.live_at_peak_bytes += part.live_at_peak_bytes;
  sum.live_at_peak_blocks += part.live_at_peak_blocks;
  sum.slack_at_peak_bytes += part.slack_at_peak_bytes;
  sum.reallocs += part.reallocs;
  sum.reallocs_moved += part.reallocs_moved;
  sum.realloc_copied_bytes += part.realloc_copied_bytes;
  sum.callocs += part.callocs;
  sum.calloc_bytes += part.calloc_bytes;
  sum.large_mapped_calls += part.large_mapped_calls;
  sum.large_heap_calls += part.large_heap_calls;
  sum.calls_variance += part.calls_variance;
  sum.allocated_variance += part.allocated_variance;
  sum.live_variance += part.live_variance;
  sum.live_at_peak_variance += part.live_at_peak_variance;
}

std::unordered_map<SiteIndex, SiteIndex> fill_sites(ProcessReport& report, const StackBook& book,
                                                    const SiteWindows& windows) {
  std::map<SiteIndex, Site> sites = collect(report, book);
  add_shares(report, sites);
  std::vector<SiteIndex> order;
  for (auto& [index, site] : sites) {
    site.figures.peak_live_bytes = windows.peak_live_bytes(index);
    site.growth_steps = windows.growth_steps(index);
    site.largest_block_bytes = windows.largest_block_bytes(index);
    order.push_back(index);
  }
  std::stable_sort(order.begin(), order.end(), [&](SiteIndex a, SiteIndex b) {
    const Figures& left = sites.at(a).figures;
    const Figures& right = sites.at(b).figures;
    if (left.live_at_peak_bytes != right.live_at_peak_bytes) return left.live_at_peak_bytes > right.live_at_peak_bytes;
    return left.allocated_bytes > right.allocated_bytes;
  });
  std::unordered_map<SiteIndex, SiteIndex> place;
  for (SiteIndex index : order) {
    place[index] = SiteIndex{static_cast<std::uint32_t>(report.sites.size())};
    report.sites.push_back(std::move(sites.at(index)));
  }
  for (const StackFigures& entry : report.stacks) report.site_of_stack.push_back(place.at(book.site_of(entry.stack)));
  for (LedgerSnapshot& snapshot : report.snapshots) {
    for (SiteShare& share : snapshot.sites) share.site = place.at(share.site);
    if (snapshot.piece_holder) snapshot.piece_holder = place.at(*snapshot.piece_holder);
    for (ArenaRow& arena : snapshot.arenas) {
      const auto highest = place.find(arena.highest_site);
      arena.highest_site = highest != place.end() ? highest->second : SiteIndex{0};
    }
  }
  return place;
}

}  // namespace memswell::analysis
