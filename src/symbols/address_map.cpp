#include "symbols/address_map.h"

#include <algorithm>
#include <queue>

namespace memswell::symbols {

// A sweep over the begins; the heap holds what is open, its top is what holds. Ranges that have ended leave the heap
// only when they reach the top, so that each is pushed and popped once.
AddressMap::AddressMap(std::vector<AddressRange> ranges) {
  std::erase_if(ranges, [](const AddressRange& range) { return range.begin >= range.end; });
  std::sort(ranges.begin(), ranges.end(), [](const auto& a, const auto& b) { return a.begin < b.begin; });
  const auto lower = [&](std::size_t a, std::size_t b) { return ranges[a].precedence < ranges[b].precedence; };
  std::priority_queue<std::size_t, std::vector<std::size_t>, decltype(lower)> open(lower);

  std::uint64_t position = 0;
  std::size_t next = 0;
  for (;;) {
    while (!open.empty() && ranges[open.top()].end <= position) open.pop();
    if (open.empty()) {
      if (next == ranges.size()) break;
      position = std::max(position, ranges[next].begin);
    }
    while (next < ranges.size() && ranges[next].begin <= position) open.push(next++);
    while (!open.empty() && ranges[open.top()].end <= position) open.pop();
    if (open.empty()) continue;
    const AddressRange& top = ranges[open.top()];
    const std::uint64_t end = next < ranges.size() ? std::min(top.end, ranges[next].begin) : top.end;
    append({position, end, top.value});
    position = end;
  }
  segments_.shrink_to_fit();
}

void AddressMap::append(const Segment& segment) {
  if (!segments_.empty() && segments_.back().end == segment.begin && segments_.back().value == segment.value) {
    segments_.back().end = segment.end;
  } else {
    segments_.push_back(segment);
  }
}

std::optional<std::uint32_t> AddressMap::find(std::uint64_t address) const {
  const auto after =
      std::upper_bound(segments_.begin(), segments_.end(), address,
                       [](std::uint64_t value, const Segment& segment) { return value < segment.begin; });
  if (after == segments_.begin() || std::prev(after)->end <= address) return std::nullopt;
  return std::prev(after)->value;
}

}  // namespace memswell::symbols
