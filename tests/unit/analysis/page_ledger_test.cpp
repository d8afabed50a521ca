#include "analysis/page_ledger.h"

#include <gtest/gtest.h>

#include "tests/unit/analysis/memory_by_hand.h"

namespace memswell::analysis {
namespace {

using test::bit;
using test::block;
using test::kPage;
using test::mapped_block;
using test::mapping;
using test::run;

class PageLedgerTest : public ::testing::Test {
 protected:
  LedgerSnapshot make(const std::vector<PlacedBlock>& blocks, Allocator allocator = Allocator::glibc) {
    PageLedgerInput input;
    input.blocks = test::in_order(blocks);
    input.pages = &pages_;
    input.mappings = &mappings_;
    input.mapped = &mapped_;
    input.history = &history_;
    input.pool = &pool_;
    input.used = &used_;
    input.sites = &sites_;
    input.allocator = allocator;
    input.writes_since = writes_since_;
    LedgerSnapshot snapshot = make_page_ledger(input);
    Bytes sum = snapshot.own_bytes;
    for (const LedgerRow& row : snapshot.rows) sum += row.bytes;
    EXPECT_EQ(static_cast<std::int64_t>(sum) + snapshot.difference_bytes,
              static_cast<std::int64_t>(snapshot.smaps_rss_bytes));
    return snapshot;
  }
  // A mapping of which the first pages are resident.
  void add(Address begin, Bytes pages, std::string_view permissions, const std::string& name, Bytes resident) {
    mappings_.push_back(mapping(begin, pages, permissions, name, resident));
    if (resident > 0) pages_.runs.push_back(run(begin, resident));
  }

  PageLedgerTest() { pages_.source = trace::PageSource::pagemap_scan; }
  trace::PageSnapshot pages_;
  std::vector<smaps::Mapping> mappings_;
  MappedRanges mapped_;
  HeapHistory history_;
  PoolNotes pool_;
  UsedNotes used_;
  test::StackIsSite sites_;
  std::optional<Nanoseconds> writes_since_;
};

constexpr Address kHeap = 0x100000;

TEST_F(PageLedgerTest, EveryByteOfAHeapPageHasOneOwner) {
  add(kHeap, 1, "rw-p", "[heap]", 1);
  const LedgerSnapshot snapshot = make({block(kHeap + 0x2a0, 100)});
  EXPECT_EQ(snapshot.row(Owner::heap_headers), 8u);
  EXPECT_EQ(snapshot.row(Owner::heap_live), 100u);
  EXPECT_EQ(snapshot.row(Owner::heap_slack), 4u);
  EXPECT_EQ(snapshot.row(Owner::heap_pinned), kPage - 112);
  EXPECT_EQ(snapshot.difference_bytes, 0);
  EXPECT_TRUE(snapshot.heap_exact);
}

TEST_F(PageLedgerTest, FreedPagesBelowALiveBlockAreTrimmable) {
  add(kHeap, 10, "rw-p", "[heap]", 10);
  const LedgerSnapshot snapshot = make({block(kHeap + 9 * kPage + 0x100, 40)});
  EXPECT_EQ(snapshot.row(Owner::heap_trimmable), 8 * kPage);
  EXPECT_EQ(snapshot.row(Owner::heap_cached), kPage) << "the first page keeps the allocator's own first chunk";
  EXPECT_EQ(snapshot.top_bytes, 0u);
  ASSERT_EQ(snapshot.arenas.size(), 1u);
  EXPECT_EQ(snapshot.arenas[0].highest_site, SiteIndex{1});
  EXPECT_EQ(snapshot.arenas[0].free_bytes, 10 * kPage - 48);
}

trace::MappingEvent sbrk(Address before, Address after) {
  trace::MappingEvent made;
  made.kind = trace::MappingEvent::Kind::heap_break;
  made.old_address = before;
  made.address = after;
  made.stack = StackId{3};
  return made;
}

TEST_F(PageLedgerTest, WhatTheProgramGotBySbrkIsMappedAndNotTrimmable) {
  add(kHeap, 30, "rw-p", "[heap]", 30);
  mapped_.on(sbrk(kHeap + 10 * kPage, kHeap + 30 * kPage));
  const LedgerSnapshot snapshot = make({block(kHeap + 0x2a0, 100)});
  EXPECT_EQ(snapshot.row(Owner::mapped), 20 * kPage);
  EXPECT_EQ(snapshot.sites.at(0).site, SiteIndex{3});
  EXPECT_EQ(snapshot.sites.at(0).mapped_bytes, 20 * kPage);
  EXPECT_EQ(snapshot.row(Owner::heap_trimmable), 0u) << "malloc_trim finds the break beyond its top";
  EXPECT_EQ(snapshot.row(Owner::heap_cached), 9 * kPage);
}

TEST_F(PageLedgerTest, BehindTheProgramsOwnBreakTheHeapGoesOn) {
  add(kHeap, 40, "rw-p", "[heap]", 40);
  mapped_.on(sbrk(kHeap + 10 * kPage, kHeap + 30 * kPage));
  const LedgerSnapshot snapshot = make({block(kHeap + 0x2a0, 100), block(kHeap + 39 * kPage + 0x100, 40)});
  EXPECT_EQ(snapshot.row(Owner::mapped), 20 * kPage);
  // What glibc left behind is a free chunk now, up to its fence posts on the last page.
  EXPECT_EQ(snapshot.row(Owner::heap_trimmable), 8 * kPage + 8 * kPage);
}

TEST_F(PageLedgerTest, UntouchedPagesOfABlockAreBesideTheSum) {
  add(kHeap, 40, "rw-p", "", 10);
  const LedgerSnapshot snapshot = make({mapped_block(kHeap, 40, 40 * kPage - 16)});
  EXPECT_EQ(snapshot.row(Owner::heap_live), 10 * kPage - 16);
  EXPECT_EQ(snapshot.row(Owner::heap_headers), 16u);
  EXPECT_EQ(snapshot.beside.untouched_bytes, 30 * kPage);
  EXPECT_EQ(snapshot.sites.at(0).untouched_bytes, 30 * kPage);
}

TEST_F(PageLedgerTest, ZeroPagesOfABlockAreNeitherResidentNorUntouched) {
  mappings_.push_back(mapping(kHeap, 4, "rw-p", "", 1));
  pages_.runs = {run(kHeap, 1), run(kHeap + kPage, 2, bit(trace::PageBit::present) | bit(trace::PageBit::zero_page))};
  const LedgerSnapshot snapshot = make({mapped_block(kHeap, 4, 4 * kPage - 16)});
  EXPECT_EQ(snapshot.beside.zero_read_bytes, 2 * kPage);
  EXPECT_EQ(snapshot.beside.untouched_bytes, kPage);
}

TEST_F(PageLedgerTest, WhatTheProgramMappedGoesToItsSite) {
  add(kHeap, 8, "rw-p", "", 5);
  trace::MappingEvent event;
  event.address = kHeap;
  event.length = 8 * kPage;
  event.stack = StackId{3};
  mapped_.on(event);
  const LedgerSnapshot snapshot = make({});
  EXPECT_EQ(snapshot.row(Owner::mapped), 5 * kPage);
  EXPECT_EQ(snapshot.sites.at(0).site, SiteIndex{3});
  EXPECT_EQ(snapshot.sites.at(0).mapped_bytes, 5 * kPage);
}

TEST_F(PageLedgerTest, MemswellsOwnPagesAreTakenOutOfAMergedMapping) {
  add(kHeap, 8, "rw-p", "", 8);
  pages_.own = {{kHeap + 6 * kPage, kHeap + 8 * kPage}};
  trace::MappingEvent event;
  event.address = kHeap;
  event.length = 6 * kPage;
  event.stack = StackId{3};
  mapped_.on(event);
  const LedgerSnapshot snapshot = make({});
  EXPECT_EQ(snapshot.own_bytes, 2 * kPage);
  EXPECT_EQ(snapshot.row(Owner::mapped), 6 * kPage);
  EXPECT_EQ(snapshot.rss_bytes, 6 * kPage);
}

TEST_F(PageLedgerTest, EachKindOfMappingHasItsRow) {
  add(0x1000000, 4, "r-xp", "/usr/bin/prog", 4);
  add(0x1004000, 4, "rw-p", "/usr/bin/prog", 3);
  add(0x1008000, 4, "rw-p", "", 2);  // bss
  add(0x2000000, 1, "---p", "", 0);  // a guard
  add(0x2001000, 4, "rw-p", "", 0);
  pages_.runs.push_back(run(0x2004000, 1));  // a thread's stack is used from its end
  mappings_.back().rss_bytes = kPage;
  add(0x3000000, 4, "rw-s", "/dev/zero", 2);
  add(0x4000000, 4, "rw-p", "[stack]", 1);
  add(0x5000000, 1, "r-xp", "[vdso]", 1);
  add(0x6000000, 4, "rw-p", "", 1);
  const LedgerSnapshot snapshot = make({});
  EXPECT_EQ(snapshot.row(Owner::files), 9 * kPage);
  EXPECT_EQ(snapshot.row(Owner::stacks), 2 * kPage);
  EXPECT_EQ(snapshot.row(Owner::shared), 2 * kPage);
  EXPECT_EQ(snapshot.row(Owner::kernel), kPage);
  EXPECT_EQ(snapshot.row(Owner::unknown), kPage);
  EXPECT_EQ(snapshot.files.at(0).path, "/usr/bin/prog");
  EXPECT_EQ(snapshot.files.at(0).clean_bytes, 4 * kPage);
  EXPECT_EQ(snapshot.files.at(0).dirty_bytes, 3 * kPage);
  EXPECT_EQ(snapshot.files.at(1).path, "/usr/bin/prog (bss)");
}

TEST_F(PageLedgerTest, ParkedObjectsAreIdleInsideALiveBlock) {
  add(kHeap, 1, "rw-p", "[heap]", 1);
  pool_[kHeap + 0x300] = PoolNote{64, 10};
  const LedgerSnapshot snapshot = make({block(kHeap + 0x2a0, 1000)});
  EXPECT_EQ(snapshot.row(Owner::pool_idle), 64u);
  EXPECT_EQ(snapshot.row(Owner::heap_live), 936u);
}

TEST_F(PageLedgerTest, ANoteAboutAnEarlierBlockAtThePlaceIsForgotten) {
  add(kHeap, 1, "rw-p", "[heap]", 1);
  pool_[kHeap + 0x300] = PoolNote{64, 10};
  EXPECT_EQ(make({block(kHeap + 0x2a0, 1000, 1, 50'000)}).row(Owner::pool_idle), 0u);
}

TEST_F(PageLedgerTest, OtherAllocatorsKeepWhatIsFreeInTheirMappings) {
  add(kHeap, 16, "rw-p", "", 16);
  history_.note(kHeap + 0x1000, 48);
  const LedgerSnapshot snapshot = make({block(kHeap + 0x1000, 40)}, Allocator::other);
  EXPECT_EQ(snapshot.row(Owner::heap_headers), 0u);
  EXPECT_EQ(snapshot.row(Owner::heap_cached), 16 * kPage - 40);
  EXPECT_FALSE(snapshot.heap_exact);
}

TEST_F(PageLedgerTest, PagesThatCameOrWentMeanwhileAreTheDifference) {
  add(kHeap, 8, "rw-p", "[heap]", 4);
  mappings_[0].rss_bytes = 6 * kPage;
  EXPECT_EQ(make({}).difference_bytes, static_cast<std::int64_t>(2 * kPage));
}

TEST_F(PageLedgerTest, WhatASiteWouldReturnIsComputedForThoseThatPinMost) {
  add(kHeap, 4, "rw-p", "[heap]", 4);
  const LedgerSnapshot snapshot =
      make({block(kHeap + 16, 40, 1), block(kHeap + kPage + 0x800, 40, 2), block(kHeap + 3 * kPage + 0x800, 40, 1)});
  ASSERT_EQ(snapshot.sites.size(), 2u);
  const SiteShare& middle = snapshot.sites[0].site == SiteIndex{2} ? snapshot.sites[0] : snapshot.sites[1];
  EXPECT_TRUE(middle.returns_known);
  EXPECT_EQ(middle.returns_bytes, kPage);
}

TEST_F(PageLedgerTest, WhatAPhaseHasNotWrittenIsIdleIfItIsOlder) {
  add(kHeap, 4, "rw-p", "[heap]", 0);
  mappings_[0].rss_bytes = 4 * kPage;
  const auto tracked = bit(trace::PageBit::present) | bit(trace::PageBit::tracked);
  pages_.runs = {{kHeap, kHeap + 2 * kPage, tracked | bit(trace::PageBit::written)},
                 {kHeap + 2 * kPage, kHeap + 4 * kPage, tracked}};
  writes_since_ = 5'000'000;
  const std::vector<PlacedBlock> blocks = {block(kHeap + kPage + 16, 2 * kPage - 40, 1, 4'000'000),  // half of it written
                                           block(kHeap + 3 * kPage + 16, 1000, 2, 6'000'000)};       // younger than the phase
  const LedgerSnapshot snapshot = make(blocks);
  const SiteShare& older = snapshot.sites[0].site == SiteIndex{1} ? snapshot.sites[0] : snapshot.sites[1];
  EXPECT_EQ(older.idle_bytes, kPage - 24u);
  EXPECT_EQ(snapshot.beside.idle_bytes, older.idle_bytes);
  EXPECT_EQ(snapshot.idle_since_ns, 5'000'000u);
}

TEST_F(PageLedgerTest, ToldFillsGiveTheOverallocation) {
  add(kHeap, 1, "rw-p", "[heap]", 1);
  PlacedBlock placed = block(kHeap + 0x2a0, 1000);
  placed.block.noted = 1;
  used_[placed.address] = 400;
  EXPECT_EQ(make({placed}).beside.overallocated_bytes, 600u);
}

}  // namespace
}  // namespace memswell::analysis
