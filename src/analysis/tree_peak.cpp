#include "analysis/tree_peak.h"

#include <algorithm>

namespace memswell::analysis {
namespace {

struct Change {
  Nanoseconds time_ns = 0;
  std::size_t process = 0;
  Bytes rss_bytes = 0;
  Bytes pss_bytes = 0;
  bool alive = true;
};

std::vector<Change> changes_of(const std::vector<ProcessReport>& processes) {
  std::vector<Change> changes;
  for (std::size_t i = 0; i < processes.size(); ++i) {
    Bytes pss = 0;
    Bytes rss_at_pss = 0;
    for (const TimelineRow& row : processes[i].timeline) {
      if (row.smaps) {
        pss = row.smaps->pss_bytes;
        rss_at_pss = row.rss_bytes;
      }
      // Between two readings of PSS what RSS gained or lost is private, as good as always.
      const Bytes grown = row.rss_bytes > rss_at_pss ? row.rss_bytes - rss_at_pss : 0;
      const Bytes shrunk = row.rss_bytes < rss_at_pss ? rss_at_pss - row.rss_bytes : 0;
      changes.push_back({row.time_ns, i, row.rss_bytes, pss + grown - std::min(pss, shrunk), true});
    }
    changes.push_back({processes[i].end_ns, i, 0, 0, false});
  }
  std::stable_sort(changes.begin(), changes.end(),
                   [](const Change& a, const Change& b) { return a.time_ns < b.time_ns; });
  return changes;
}

}  // namespace

TreeTotals find_tree_peak(const std::vector<ProcessReport>& processes) {
  TreeTotals peak;
  std::vector<Change> now(processes.size());
  for (Change& change : now) change.alive = false;
  Bytes rss = 0, pss = 0;
  std::uint32_t alive = 0;
  for (const Change& change : changes_of(processes)) {
    Change& before = now[change.process];
    rss = rss - before.rss_bytes + change.rss_bytes;
    pss = pss - before.pss_bytes + change.pss_bytes;
    alive = alive - (before.alive ? 1u : 0u) + (change.alive ? 1u : 0u);
    before = change;
    if (pss > peak.pss_bytes) peak = {change.time_ns, pss, rss, alive};
  }
  return peak;
}

}  // namespace memswell::analysis
