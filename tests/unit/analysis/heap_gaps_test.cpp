#include "analysis/heap_gaps.h"

#include <gtest/gtest.h>

#include <map>
#include <random>

#include "tests/unit/analysis/memory_by_hand.h"

namespace memswell::analysis {
namespace {

using test::block;
using test::in_order;
using test::kPage;

constexpr Address kHeap = 0x100000;

HeapExtent heap(Bytes pages, HeapExtent::Kind kind = HeapExtent::Kind::main) {
  return {kind, kHeap, kHeap + pages * kPage};
}
RangeSet all_of(Bytes pages) {
  RangeSet set;
  set.append(kHeap, kHeap + pages * kPage);
  return set;
}
SiteIndex as_site(StackId stack) { return SiteIndex{stack.value}; }

TEST(HeapGaps, AGapReturnsWholePagesFrom48BytesAfterTheLastChunk) {
  // The chunk before ends 64 bytes before a page: 48 bytes fit, so the next page is free to go.
  const Gap gap = gap_between(kHeap + kPage - 64, kHeap + 4 * kPage, heap(8));
  EXPECT_EQ(gap.trim_begin, kHeap + kPage);
  EXPECT_EQ(gap.trim_end, kHeap + 4 * kPage);
  // 32 bytes before a page they do not.
  EXPECT_EQ(gap_between(kHeap + kPage - 32, kHeap + 4 * kPage, heap(8)).trim_begin, kHeap + 2 * kPage);
}

TEST(HeapGaps, TheTopOfTheMainHeapGoesBackAndThatOfAnArenaStays) {
  const Gap main = gap_between(kHeap + 0x100, kHeap + 8 * kPage, heap(8));
  EXPECT_TRUE(main.top);
  EXPECT_EQ(main.trim_end - main.trim_begin, 7 * kPage);
  const Gap arena = gap_between(kHeap + 0x100, kHeap + 8 * kPage, heap(8, HeapExtent::Kind::arena));
  EXPECT_EQ(arena.trim_end, arena.trim_begin);
}

TEST(HeapGaps, FreeBytesAreTrimmablePinnedOrKept) {
  // One block at the begin, one on the seventh page: five whole pages and two parts of pages are free between.
  RangeSet resident = all_of(8);
  const BlocksInOrder blocks = in_order({block(kHeap + 16, 100), block(kHeap + 6 * kPage + 0x800, 100)});
  const GapFigures figures = measure_gaps(heap(8, HeapExtent::Kind::arena), blocks, resident);
  EXPECT_EQ(figures.trimmable_bytes, 5 * kPage);
  EXPECT_EQ(figures.cached_bytes, kPage) << "the arena's last page";
  const Bytes live = 2 * (104 + kChunkHeader);
  EXPECT_EQ(figures.pinned_bytes, 2 * kPage - live);
}

TEST(HeapGaps, PagesThatAreNotResidentCannotBeReturned) {
  RangeSet resident;
  resident.append(kHeap, kHeap + 2 * kPage);
  const GapFigures figures = measure_gaps(heap(8), in_order({block(kHeap + 16, 100)}), resident);
  EXPECT_EQ(figures.trimmable_bytes, kPage);
}

TEST(HeapGaps, PinnedBytesGoToTheSurvivorsInProportion) {
  // Two blocks on one page: chunks of 48 and 96 bytes (usable 40 and 88, and a header each).
  RangeSet resident = all_of(1);
  const BlocksInOrder blocks = in_order({block(kHeap + 0x200, 40, 1), block(kHeap + 0x800, 88, 2)});
  std::map<std::uint32_t, Bytes> given;
  share_pinned(heap(1), blocks, resident, as_site, [&](SiteIndex site, Bytes bytes) { given[site.value] += bytes; });
  const Bytes free = kPage - 48 - 96;
  EXPECT_EQ(given[1], free * 48 / 144);
  EXPECT_EQ(given[1] + given[2], free);
}

TEST(HeapGaps, WithoutASiteItsGapsJoin) {
  // A lone block of site 2 in the middle of three pages.
  RangeSet resident = all_of(4);
  const BlocksInOrder blocks = in_order({block(kHeap + 16, 40, 1), block(kHeap + kPage + 0x800, 40, 2),
                                         block(kHeap + 3 * kPage + 0x800, 40, 1)});
  const auto without = trimmable_without(heap(4), blocks, {SiteIndex{2}, SiteIndex{9}}, as_site, resident);
  EXPECT_EQ(without.at(0).trimmable_bytes, 2 * kPage);
  EXPECT_EQ(without.at(0).thread_cache_bytes, 2 * kPage) << "the one block may stay in a thread's cache";
  EXPECT_EQ(without.at(1).trimmable_bytes, kPage) << "a site without blocks changes nothing";
  EXPECT_EQ(without.at(1).thread_cache_bytes, 0u);
}

TEST(HeapGaps, AThreadsCacheKeepsSevenOfASizeAndNoLargeOnes) {
  std::vector<PlacedBlock> blocks;
  for (Address i = 0; i < 10; ++i) blocks.push_back(block(kHeap + 16 + i * 64, 40, 2));
  for (Address i = 0; i < 3; ++i) blocks.push_back(block(kHeap + kPage + 16 + i * 2048, 1032 + 16 * i, 2));
  RangeSet resident = all_of(4);
  const auto without = trimmable_without(heap(4), in_order(blocks), {SiteIndex{2}}, as_site, resident);
  EXPECT_EQ(without.at(0).thread_cache_bytes, (7 + 1) * 2 * kPage) << "ten of one size, one of the largest cached size";
}

// An independent model: page by page, byte by byte.
TEST(HeapGaps, AgreesWithAPageByPageModelOnRandomHeaps) {
  std::mt19937 random(7);
  for (int round = 0; round < 30; ++round) {
    constexpr Bytes kPages = 32;
    std::vector<PlacedBlock> blocks;
    std::vector<bool> live(kPages * kPage, false);
    for (Address chunk = kHeap; chunk + 4096 < kHeap + kPages * kPage;) {
      const Bytes size = 24 + 16 * (random() % 200);  // usable
      if (random() % 4 == 0) {
        blocks.push_back(block(chunk + 16, size, 1 + static_cast<std::uint32_t>(random() % 3)));
        for (Address a = chunk + 8; a < chunk + 16 + size; ++a) live[a - kHeap] = true;
      }
      chunk += size + 8;
    }
    Bytes pinned = 0, rest = 0;
    for (Bytes page = 0; page < kPages; ++page) {
      Bytes used = 0;
      for (Bytes i = 0; i < kPage; ++i) used += live[page * kPage + i];
      (used > 0 ? pinned : rest) += kPage - used;
    }
    RangeSet resident = all_of(kPages);
    const GapFigures figures = measure_gaps(heap(kPages), in_order(blocks), resident);
    Bytes shared = 0;
    share_pinned(heap(kPages), in_order(blocks), resident, as_site, [&](SiteIndex, Bytes bytes) { shared += bytes; });
    EXPECT_EQ(figures.pinned_bytes, pinned);
    EXPECT_EQ(figures.trimmable_bytes + figures.cached_bytes, rest);
    EXPECT_EQ(shared, pinned);
  }
}

}  // namespace
}  // namespace memswell::analysis
