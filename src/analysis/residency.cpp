#include "analysis/residency.h"

#include <algorithm>

#include "analysis/zones.h"

namespace memswell::analysis {
namespace {

bool has(const trace::PageRun& run, trace::PageBit bit) { return (run.bits & static_cast<std::uint32_t>(bit)) != 0; }

struct Clipped {
  Address begin = 0;
  Address end = 0;
  std::uint32_t bits = 0;
};

// What smaps says about the pages that may be zero pages: how many bytes of them are resident after all.
Bytes resident_of_ambiguous(const std::vector<Clipped>& runs, const smaps::Mapping& mapping, Bytes& ambiguous) {
  Bytes certain = 0;
  ambiguous = 0;
  for (const Clipped& run : runs) {
    const trace::PageRun bits{run.begin, run.end, run.bits};
    if (!has(bits, trace::PageBit::present) || has(bits, trace::PageBit::zero_page)) continue;
    (has(bits, trace::PageBit::maybe_zero_page) ? ambiguous : certain) += run.end - run.begin;
  }
  return std::min(ambiguous, mapping.rss_bytes - std::min(mapping.rss_bytes, certain));
}

void place(const std::vector<Clipped>& runs, const smaps::Mapping& mapping, Residency& residency) {
  Bytes ambiguous = 0;
  Bytes budget = resident_of_ambiguous(runs, mapping, ambiguous);
  if (budget != 0 && budget != ambiguous) residency.ambiguous_bytes += std::min(budget, ambiguous - budget);
  for (const Clipped& clipped : runs) {
    const trace::PageRun run{clipped.begin, clipped.end, clipped.bits};
    if (has(run, trace::PageBit::swapped)) residency.swapped.append(run.begin, run.end);
    if (!has(run, trace::PageBit::present)) continue;
    if (has(run, trace::PageBit::zero_page)) {
      residency.zero.append(run.begin, run.end);
    } else if (has(run, trace::PageBit::maybe_zero_page)) {
      const Bytes resident = std::min(budget, run.end - run.begin);
      budget -= resident;
      if (resident > 0) residency.resident.append(run.begin, run.begin + resident);
      if (run.begin + resident < run.end) residency.zero.append(run.begin + resident, run.end);
    } else {
      residency.resident.append(run.begin, run.end);
      if (has(run, trace::PageBit::huge)) residency.huge.append(run.begin, run.end);
      if (!has(run, trace::PageBit::tracked)) continue;
      residency.writes_known = true;
      if (!has(run, trace::PageBit::written)) residency.idle.append(run.begin, run.end);
    }
  }
}

// Without any page source: the lowest addresses of a mapping are taken for the resident ones.
void guess(const smaps::Mapping& mapping, Residency& residency) {
  const Bytes rss = std::min(mapping.rss_bytes, mapping.bytes());
  if (rss > 0) residency.resident.append(mapping.begin, mapping.begin + rss);
  if (rss < mapping.bytes()) residency.ambiguous_bytes += std::min(rss, mapping.bytes() - rss);
}

}  // namespace

void RangeSet::append(Address begin, Address end) {
  bytes_ += end - begin;
  if (!ranges_.empty() && ranges_.back().end == begin) {
    ranges_.back().end = end;
  } else {
    ranges_.push_back({begin, end});
  }
}

Bytes RangeSet::overlap(Address begin, Address end) {
  if (begin >= end || ranges_.empty()) return 0;
  hint_ = std::min(hint_, ranges_.size() - 1);
  // Near the hint by steps, farther by bisection.
  constexpr std::size_t kSteps = 8;
  std::size_t steps = 0;
  while (hint_ > 0 && ranges_[hint_ - 1].end > begin && ++steps < kSteps) --hint_;
  while (hint_ < ranges_.size() && ranges_[hint_].end <= begin && ++steps < kSteps) ++hint_;
  if (steps >= kSteps) {
    hint_ =
        static_cast<std::size_t>(std::partition_point(ranges_.begin(), ranges_.end(),
                                                      [&](const AddressRange& range) { return range.end <= begin; }) -
                                 ranges_.begin());
  }
  Bytes sum = 0;
  for (std::size_t i = hint_; i < ranges_.size() && ranges_[i].begin < end; ++i) {
    sum += std::min(end, ranges_[i].end) - std::max(begin, ranges_[i].begin);
  }
  return sum;
}

Residency residency_of(const trace::PageSnapshot& snapshot, const std::vector<smaps::Mapping>& mappings) {
  Residency residency;
  const bool has_pages =
      snapshot.source == trace::PageSource::pagemap_scan || snapshot.source == trace::PageSource::pagemap;
  std::size_t first = 0;
  std::vector<Clipped> clipped;
  for (const smaps::Mapping& mapping : mappings) {
    if (!in_rss(mapping)) continue;
    if (!has_pages) {
      guess(mapping, residency);
      continue;
    }
    while (first < snapshot.runs.size() && snapshot.runs[first].end <= mapping.begin) ++first;
    clipped.clear();
    for (std::size_t i = first; i < snapshot.runs.size() && snapshot.runs[i].begin < mapping.end; ++i) {
      const trace::PageRun& run = snapshot.runs[i];
      const Address begin = std::max(run.begin, mapping.begin);
      const Address end = std::min(run.end, mapping.end);
      if (begin < end) clipped.push_back({begin, end, run.bits});
    }
    place(clipped, mapping, residency);
  }
  return residency;
}

}  // namespace memswell::analysis
