// A process's memory in a few words: mappings, pages and blocks for tests of the join.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "analysis/heap_geometry.h"
#include "probes/smaps/smaps_parser.h"
#include "tests/unit/analysis/events_by_hand.h"
#include "trace/events.h"

namespace memswell::analysis::test {

inline constexpr Bytes kPage = 4096;

inline smaps::Mapping mapping(Address begin, Bytes pages, std::string_view permissions, std::string name,
                              Bytes resident_pages) {
  smaps::Mapping made;
  made.begin = begin;
  made.end = begin + pages * kPage;
  made.perms = {permissions[0] == 'r', permissions[1] == 'w', permissions[2] == 'x', permissions[3] == 's'};
  made.name = std::move(name);
  made.size_bytes = pages * kPage;
  made.rss_bytes = resident_pages * kPage;
  made.private_dirty_bytes = permissions[1] == 'w' ? resident_pages * kPage : 0;
  made.private_clean_bytes = permissions[1] == 'w' ? 0 : resident_pages * kPage;
  return made;
}

inline std::uint32_t bit(trace::PageBit value) { return static_cast<std::uint32_t>(value); }

inline trace::PageRun run(Address begin, Bytes pages, std::uint32_t bits = bit(trace::PageBit::present)) {
  return {begin, begin + pages * kPage, bits};
}

inline PlacedBlock block(Address address, Bytes requested, std::uint32_t stack = 1, Nanoseconds time = 0) {
  return {address, Block(allocation(address, requested, stack, time))};
}

inline BlocksInOrder in_order(const std::vector<PlacedBlock>& blocks) {
  LiveSet live;
  for (const PlacedBlock& placed : blocks) live.insert(placed.address, placed.block);
  return BlocksInOrder(live);
}

// With a mapping of its own, as glibc makes it from 128 KiB on: usable is 0 modulo 16.
inline PlacedBlock mapped_block(Address chunk, Bytes pages, Bytes requested, std::uint32_t stack = 1) {
  trace::Allocation event = allocation(chunk + 16, requested, stack);
  event.usable = pages * kPage - 16;
  return {event.address, Block(event)};
}

}  // namespace memswell::analysis::test
