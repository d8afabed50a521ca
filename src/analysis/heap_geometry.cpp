#include "analysis/heap_geometry.h"

#include <algorithm>
#include <set>
#include <utility>

namespace memswell::analysis {
namespace {

using Mappings = std::vector<smaps::Mapping>;

Mappings::const_iterator mapping_at(const Mappings& mappings, Address address) {
  const auto after = std::upper_bound(mappings.begin(), mappings.end(), address,
                                      [](Address a, const smaps::Mapping& m) { return a < m.begin; });
  if (after == mappings.begin()) return mappings.end();
  const auto at = std::prev(after);
  return address < at->end ? at : mappings.end();
}

void add_main(const Mappings& mappings, std::vector<HeapExtent>& heaps) {
  for (const smaps::Mapping& mapping : mappings) {
    if (mapping.name != "[heap]") continue;
    if (!heaps.empty() && heaps.back().end == mapping.begin) {
      heaps.back().end = mapping.end;  // split by mprotect or madvise
    } else {
      heaps.push_back({HeapExtent::Kind::main, mapping.begin, mapping.end});
    }
  }
}

// Takes out of the main heap what the program got by sbrk itself. Where no piece of glibc's follows, its top lies
// below the program's memory: malloc_trim finds the break elsewhere and gives nothing of it back.
void cut_out_breaks(const MappedRanges& mapped, std::vector<HeapExtent>& heaps) {
  for (const auto& [begin, range] : mapped.ranges()) {
    if (!range.by_break) continue;
    std::vector<HeapExtent> pieces;
    for (const HeapExtent& heap : heaps) {
      if (heap.end <= begin || heap.begin >= range.end) {
        pieces.push_back(heap);
        continue;
      }
      const bool goes_on = range.end < heap.end;
      if (heap.begin < begin)
        pieces.push_back({goes_on ? HeapExtent::Kind::fenced : HeapExtent::Kind::other, heap.begin, begin});
      if (goes_on) pieces.push_back({HeapExtent::Kind::main, range.end, heap.end});
    }
    heaps = std::move(pieces);
  }
}

// The writable part of a thread arena's heap; the rest of its 64 MiB is reserved without access.
void add_arena(const Mappings& mappings, Address start, std::vector<HeapExtent>& heaps) {
  auto at = mapping_at(mappings, start);
  if (at == mappings.end() || !is_plain_anonymous(*at)) return;
  Address end = at->end;
  for (++at; at != mappings.end() && at->begin == end && is_plain_anonymous(*at); ++at) end = at->end;
  heaps.push_back({HeapExtent::Kind::arena, start, std::min(end, start + kArenaHeapBytes)});
}

bool inside(const std::vector<HeapExtent>& heaps, Address address) {
  const auto after = std::upper_bound(heaps.begin(), heaps.end(), address,
                                      [](Address a, const HeapExtent& heap) { return a < heap.begin; });
  return after != heaps.begin() && address < std::prev(after)->end;
}

void sort_by_address(std::vector<HeapExtent>& heaps) {
  std::sort(heaps.begin(), heaps.end(), [](const HeapExtent& a, const HeapExtent& b) { return a.begin < b.begin; });
}

// The main arena goes on in anonymous mappings when brk cannot grow: their live blocks tell.
void add_stray(const Mappings& mappings, const BlocksInOrder& blocks, std::vector<HeapExtent>& heaps) {
  std::vector<HeapExtent> strays;
  for (const PlacedBlock placed : blocks) {
    if (has_own_mapping(placed.block.usable()) || inside(heaps, placed.address)) continue;
    if (!strays.empty() && placed.address < strays.back().end) continue;
    const auto at = mapping_at(mappings, placed.address);
    if (at == mappings.end() || !is_plain_anonymous(*at)) continue;
    strays.push_back({HeapExtent::Kind::other, at->begin, at->end});
  }
  for (HeapExtent stray : strays) {  // never over an arena that merged with it
    for (const HeapExtent& heap : heaps) {
      if (heap.begin >= stray.end || heap.end <= stray.begin) continue;
      if (heap.begin <= stray.begin) {
        stray.begin = std::min(heap.end, stray.end);
      } else {
        stray.end = heap.begin;
      }
    }
    if (stray.begin < stray.end) heaps.push_back(stray);
  }
  sort_by_address(heaps);
}

std::vector<HeapExtent> find_glibc_heaps(const Mappings& mappings, const HeapHistory& history,
                                         const BlocksInOrder& blocks, const MappedRanges& mapped) {
  std::vector<HeapExtent> heaps;
  add_main(mappings, heaps);
  const std::vector<HeapExtent> main = heaps;
  cut_out_breaks(mapped, heaps);
  for (Address start : history.arena_candidates()) {
    if (!inside(main, start)) add_arena(mappings, start, heaps);
  }
  sort_by_address(heaps);
  add_stray(mappings, blocks, heaps);
  return heaps;
}

}  // namespace

Allocator allocator_from(std::string_view name, std::string_view libc) {
  const std::string_view known = name.empty() ? libc : name;
  return known.starts_with("glibc") ? Allocator::glibc : Allocator::other;
}

std::vector<Address> HeapHistory::arena_candidates() const {
  std::set<Address> starts;
  for (const auto& [key, seen] : seen_) {
    if ((key & 1u) == 0) starts.insert(((key >> 1) << kGranuleBits) / kArenaHeapBytes * kArenaHeapBytes);
  }
  return {starts.begin(), starts.end()};
}

HeapHistory::News HeapHistory::take_news() {
  News news{blocks_ - std::exchange(told_blocks_, blocks_), misfits_ - std::exchange(told_misfits_, misfits_), {}};
  for (auto at = seen_.begin(); at != seen_.end(); ++at) {
    if (std::exchange(at.value(), false)) news.granules.push_back(at->first);
  }
  std::ranges::sort(news.granules);
  return news;
}

bool HeapHistory::touched(Address begin, Address end) const {
  for (Address granule = begin >> kGranuleBits; granule <= (end - 1) >> kGranuleBits; ++granule) {
    if (seen_.contains(granule << 1) || seen_.contains((granule << 1) | 1u)) return true;
  }
  return false;
}

bool is_plain_anonymous(const smaps::Mapping& mapping) {
  const bool named = !mapping.name.empty() && !mapping.name.starts_with("[anon:");
  return !named && mapping.perms.write && !mapping.perms.shared;
}

bool passes_on_to_glibc(std::string_view name, std::string_view libc, const HeapHistory& history,
                        const Mappings& mappings) {
  const bool library = name.find(".so") != std::string_view::npos;
  if (!library || !libc.starts_with("glibc") || !history.looks_like_glibc()) return false;
  return std::any_of(mappings.begin(), mappings.end(), [&](const smaps::Mapping& mapping) {
    return mapping.name == "[heap]" && history.touched(mapping.begin, mapping.end);
  });
}

std::vector<HeapExtent> find_heaps(Allocator allocator, const Mappings& mappings, const HeapHistory& history,
                                   const BlocksInOrder& blocks, const MappedRanges& mapped) {
  if (allocator == Allocator::glibc) return find_glibc_heaps(mappings, history, blocks, mapped);
  std::vector<HeapExtent> heaps;
  for (const smaps::Mapping& mapping : mappings) {
    const bool candidate = mapping.name == "[heap]" || is_plain_anonymous(mapping);
    if (candidate && history.touched(mapping.begin, mapping.end)) {
      heaps.push_back({HeapExtent::Kind::other, mapping.begin, mapping.end});
    }
  }
  return heaps;
}

}  // namespace memswell::analysis
