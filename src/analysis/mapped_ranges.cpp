#include "analysis/mapped_ranges.h"

#include <algorithm>
#include <iterator>

namespace memswell::analysis {
namespace {

constexpr Bytes kPage = 4096;

Address page_up(Address address) { return (address + kPage - 1) / kPage * kPage; }

}  // namespace

// Takes [begin, end) out; what sticks out of it on either side stays.
void MappedRanges::erase(Address begin, Address end) {
  auto at = ranges_.upper_bound(begin);
  if (at != ranges_.begin() && std::prev(at)->second.end > begin) --at;
  while (at != ranges_.end() && at->first < end) {
    const Address first = at->first;
    const MappedRange range = at->second;
    at = ranges_.erase(at);
    if (first < begin) {
      MappedRange left = range;
      left.end = begin;
      ranges_.emplace(first, left);
    }
    if (range.end > end) ranges_.emplace(end, range);
  }
}

void MappedRanges::on(const trace::MappingEvent& event) {
  const Address end = page_up(event.address + event.length);
  if (end < event.address) return;  // wraps: no such mapping
  switch (event.kind) {
    case trace::MappingEvent::Kind::map:
      erase(event.address, end);
      if (end > event.address) ranges_[event.address] = {end, event.stack, event.flags, event.file_backed, false};
      return;
    case trace::MappingEvent::Kind::unmap: erase(event.address, end); return;
    case trace::MappingEvent::Kind::remap: {
      MappedRange moved{end, event.stack, 0, false, false};
      const auto old = ranges_.find(event.old_address);
      if (old != ranges_.end()) {  // still the same kind of memory
        moved.flags = old->second.flags;
        moved.file_backed = old->second.file_backed;
      }
      erase(event.old_address, page_up(event.old_address + event.old_length));
      erase(event.address, end);
      if (end > event.address) ranges_[event.address] = moved;
      return;
    }
    case trace::MappingEvent::Kind::heap_break: {
      const Address before = event.old_address;
      if (before == 0) return;  // not known in older recordings
      erase(std::min(before, event.address), std::max(before, event.address));
      if (event.address > before) ranges_[before] = {event.address, event.stack, 0, false, true};
      return;
    }
    case trace::MappingEvent::Kind::advise: return;
  }
}

}  // namespace memswell::analysis
