#include "capture/own_pages.h"

#include <algorithm>

namespace memswell::capture {
namespace {

bool is_ours_by_name(std::string_view name) {
  return name.starts_with("/memfd:memswell") || name.ends_with("/libmemswell.so");
}

Bytes overlap(const smaps::Mapping& mapping, const trace::OwnRange& range) {
  const Address begin = std::max(mapping.begin, range.begin);
  const Address end = std::min(mapping.end, range.end);
  return end > begin ? end - begin : 0;
}

}  // namespace

std::vector<trace::OwnRange> own_ranges_of(const format::ProcessSlot& slot) {
  std::vector<trace::OwnRange> ranges;
  const std::uint32_t count = std::min(slot.own_ranges.load(std::memory_order_acquire), format::kOwnRanges);
  for (std::uint32_t i = 0; i < count; ++i) {
    const trace::OwnRange range{slot.own[i].begin, slot.own[i].end};
    if (range.begin < range.end) ranges.push_back(range);
  }
  return ranges;
}

Bytes own_resident_bytes(std::span<const smaps::Mapping> mappings, std::span<const trace::OwnRange> ranges) {
  Bytes own = 0;
  for (const smaps::Mapping& mapping : mappings) {
    if (is_ours_by_name(mapping.name)) {
      own += mapping.rss_bytes;
      continue;
    }
    Bytes inside = 0;
    for (const trace::OwnRange& range : ranges) inside += overlap(mapping, range);
    own += std::min(inside, mapping.rss_bytes);
  }
  return own;
}

}  // namespace memswell::capture
