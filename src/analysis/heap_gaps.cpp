#include "analysis/heap_gaps.h"

#include <algorithm>
#include <array>
#include <numeric>

namespace memswell::analysis {
namespace {

constexpr Bytes kPage = 4096;
constexpr Bytes kKeptOfFreeChunk = 48;  // sizeof(struct malloc_chunk)
constexpr Bytes kChunkToBlock = 16;
constexpr Bytes kFencePosts = 32;  // two chunk headers where the heap could not go on (sysmalloc)

Address page_down(Address address) { return address / kPage * kPage; }
Address page_up(Address address) { return page_down(address + kPage - 1); }

Address chunk_of(const PlacedBlock& placed) { return placed.address - kChunkToBlock; }
Address chunk_end(const PlacedBlock& placed) { return placed.address + placed.block.usable() - kChunkHeader; }

using Blocks = BlocksInOrder;

// How many of the chunks that a thread frees could stay in its cache, at most.
class ThreadCacheRoom {
 public:
  // Usable sizes are 8 modulo 16, from 24 on; the largest that is cached is 1032.
  void free(Bytes usable) {
    constexpr Bytes kLeast = 24;
    const Bytes bin = usable < kLeast ? 0 : (usable - kLeast) / 16;
    if (bin < kept_.size() && kept_[bin] < kChunksOfASize) ++kept_[bin];
  }
  Bytes chunks() const { return std::accumulate(kept_.begin(), kept_.end(), Bytes{0}); }

 private:
  static constexpr std::uint8_t kChunksOfASize = 7;  // glibc.malloc.tcache_count
  std::array<std::uint8_t, 64> kept_{};
};

// Of a chunk of up to 1040 bytes and the 48 behind it that a free chunk keeps.
constexpr Bytes kPagesOfACachedChunk = 2;

// Calls visit(block) for the blocks inside of a heap.
template <class Visit>
void each_in(const HeapExtent& heap, const Blocks& blocks, Visit visit) {
  for (auto at = blocks.from(heap.begin); at != blocks.end() && at.address() < heap.end; ++at) {
    if (const PlacedBlock placed = *at; !has_own_mapping(placed.block.usable())) visit(placed);
  }
}

// Sites and bytes of the live blocks on one page.
class PageShares {
 public:
  PageShares(const HeapExtent& heap, RangeSet& resident, const std::function<void(SiteIndex, Bytes)>& give)
      : heap_(heap), resident_(resident), give_(give) {}

  void add(SiteIndex site, Address begin, Address end) {
    if (page_down(begin) != page_) turn_to(page_down(begin));
    put(site, std::min(end, page_ + kPage) - begin);
    if (end <= page_ + kPage) return;
    turn_to(page_down(end - 1));  // pages between are full
    put(site, end - page_);
  }

  void turn_to(Address page) {
    distribute();
    page_ = page;
    live_ = 0;
    sites_.clear();
  }

 private:
  struct Share {
    SiteIndex site;
    Bytes bytes;
  };

  void put(SiteIndex site, Bytes bytes) {
    live_ += bytes;
    if (!sites_.empty() && sites_.back().site == site) {
      sites_.back().bytes += bytes;
    } else {
      sites_.push_back({site, bytes});
    }
  }

  void distribute() {
    const Bytes page_bytes = resident_.overlap(std::max(page_, heap_.begin), std::min(page_ + kPage, heap_.end));
    if (live_ == 0 || page_bytes <= live_) return;
    Bytes left = page_bytes - live_;
    const Bytes free = left;
    for (std::size_t i = 0; i < sites_.size(); ++i) {
      const Bytes part = i + 1 < sites_.size() ? free * sites_[i].bytes / live_ : left;  // rounding goes to the last
      left -= part;
      give_(sites_[i].site, part);
    }
  }

  const HeapExtent& heap_;
  RangeSet& resident_;
  const std::function<void(SiteIndex, Bytes)>& give_;
  Address page_ = 1;  // no page begins there
  Bytes live_ = 0;
  std::vector<Share> sites_;
};

void measure(const Gap& gap, const PlacedBlock* above, RangeSet& resident, GapFigures& figures) {
  if (gap.begin >= gap.end) return;
  const Bytes all = resident.overlap(gap.begin, gap.end);
  if (all == 0) return;
  const Address head_end = std::min(page_up(gap.begin), gap.end);
  const Address tail_begin = std::max(page_down(gap.end), head_end);
  const Bytes pinned = resident.overlap(gap.begin, head_end) + resident.overlap(tail_begin, gap.end);
  const Bytes trimmable = resident.overlap(gap.trim_begin, gap.trim_end);
  figures.pinned_bytes += pinned;
  figures.trimmable_bytes += trimmable;
  figures.cached_bytes += all - pinned - trimmable;
  if (gap.top) figures.top_bytes += trimmable;
  if (trimmable > 0) ++figures.pieces;
  if (trimmable <= figures.largest_piece_bytes) return;
  figures.largest_piece_bytes = trimmable;
  figures.holder.reset();
  if (above != nullptr) figures.holder = *above;
}

}  // namespace

Gap gap_between(Address chunk_end, Address next_chunk, const HeapExtent& heap) {
  Gap gap;
  const bool first = chunk_end == heap.begin;
  const bool fenced = heap.kind == HeapExtent::Kind::fenced;
  gap.top = next_chunk >= heap.end && !fenced;
  gap.begin = first ? chunk_end : chunk_end + kChunkHeader;
  gap.end = next_chunk >= heap.end ? heap.end : next_chunk + kChunkHeader;
  gap.trim_begin = gap.trim_end = page_up(chunk_end + kKeptOfFreeChunk);
  Address end = std::min(next_chunk, heap.end);
  if (fenced && next_chunk >= heap.end) end -= std::min(kFencePosts, end - heap.begin);
  if (gap.top && heap.kind != HeapExtent::Kind::main) return gap;
  if (end > gap.trim_begin) gap.trim_end = gap.trim_begin + page_down(end - gap.trim_begin);
  return gap;
}

GapFigures measure_gaps(const HeapExtent& heap, const Blocks& blocks, RangeSet& resident) {
  GapFigures figures;
  Address end = heap.begin;
  each_in(heap, blocks, [&](const PlacedBlock& placed) {
    const Address chunk = chunk_of(placed);
    if (chunk > end || end == heap.begin) measure(gap_between(end, chunk, heap), &placed, resident, figures);
    end = std::max(end, chunk_end(placed));
  });
  if (end < heap.end) measure(gap_between(end, heap.end, heap), nullptr, resident, figures);
  return figures;
}

std::vector<WithoutSite> trimmable_without(const HeapExtent& heap, const Blocks& blocks,
                                           const std::vector<SiteIndex>& sites,
                                           const std::function<SiteIndex(StackId)>& site_of, RangeSet& resident) {
  std::vector<WithoutSite> without(sites.size());
  std::vector<ThreadCacheRoom> caches(sites.size());
  std::vector<Address> ends(sites.size(), heap.begin);
  const auto close = [&](std::size_t i, Address next) {
    if (next < ends[i] + kPage) return;  // no whole page between them
    const Gap gap = gap_between(ends[i], next, heap);
    without[i].trimmable_bytes += resident.overlap(gap.trim_begin, gap.trim_end);
  };
  each_in(heap, blocks, [&](const PlacedBlock& placed) {
    const SiteIndex site = site_of(placed.block.stack);
    for (std::size_t i = 0; i < sites.size(); ++i) {
      if (sites[i] == site) {
        caches[i].free(placed.block.usable());
        continue;
      }
      close(i, chunk_of(placed));
      ends[i] = std::max(ends[i], chunk_end(placed));
    }
  });
  for (std::size_t i = 0; i < sites.size(); ++i) {
    close(i, heap.end);
    without[i].thread_cache_bytes = caches[i].chunks() * kPagesOfACachedChunk * kPage;
  }
  return without;
}

void share_pinned(const HeapExtent& heap, const Blocks& blocks, RangeSet& resident,
                  const std::function<SiteIndex(StackId)>& site_of, const std::function<void(SiteIndex, Bytes)>& give) {
  PageShares shares(heap, resident, give);
  Address end = heap.begin;
  each_in(heap, blocks, [&](const PlacedBlock& placed) {
    const Address from = std::max(placed.address - kChunkHeader, end);
    end = std::max(end, std::min(placed.address + placed.block.usable(), heap.end));
    if (from < end) shares.add(site_of(placed.block.stack), from, end);
  });
  shares.turn_to(0);
}

}  // namespace memswell::analysis
