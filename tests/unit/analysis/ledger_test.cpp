#include "analysis/ledger.h"

#include <gtest/gtest.h>

#include <map>
#include <random>

#include "tests/unit/analysis/events_by_hand.h"

namespace memswell::analysis {
namespace {

using test::allocation;
using test::reallocation;
using test::release;
using Kind = trace::Release::Kind;

class LedgerTest : public ::testing::Test {
 protected:
  ProcessTotals totals() {
    ledger_.finish(1'000'000);
    ProcessTotals totals;
    ledger_.fill(totals);
    return totals;
  }
  Figures of(std::uint32_t stack) {
    for (const StackFigures& entry : ledger_.figures()) {
      if (entry.stack == StackId{stack}) return entry.figures;
    }
    return {};
  }

  test::StackIsSite sites_;
  Ledger ledger_{sites_, 0};
};

TEST_F(LedgerTest, CountsCallsBytesAndWhatIsLive) {
  ledger_.on(allocation(0x1000, 100, 1));
  ledger_.on(allocation(0x2000, 50, 2));
  ledger_.on(release(0x1000));
  const ProcessTotals all = totals();
  EXPECT_EQ(all.figures.calls, 2u);
  EXPECT_EQ(all.figures.allocated_bytes, 150u);
  EXPECT_EQ(all.figures.frees, 1u);
  EXPECT_EQ(all.live_blocks_at_exit, 1u);
  EXPECT_EQ(all.live_bytes_at_exit, 50u);
  EXPECT_EQ(all.figures.slack_bytes, 6u);
  EXPECT_EQ(all.peak_live_bytes, 150u);
}

trace::EarlierBlocks earlier(Address address, Bytes requested, bool inherited = false) {
  return {.process = {}, .stack = StackId{9}, .inherited = inherited, .blocks = {{address, requested, requested + 8, 5'000}}};
}
trace::CallTotals sums(Nanoseconds time, std::uint64_t calls, Bytes live, Bytes peak) {
  trace::CallTotals totals;
  totals.time = time;
  totals.calls = calls;
  totals.live_bytes = live;
  totals.peak_live_bytes = peak;
  return totals;
}

TEST_F(LedgerTest, BlocksFromBeforeTheCallsAreAGroupOfTheirOwn) {
  ledger_.on(sums(10'000, 7, 30, 90));
  EXPECT_EQ(ledger_.live_bytes(), 30u);
  ledger_.on(trace::CallsBegin{.process = {}, .time = 10'000, .reached = true, .seen = {}});
  ledger_.on(earlier(0x1000, 30));
  ledger_.on(allocation(0x2000, 5, 1, 20'000));
  EXPECT_EQ(ledger_.live_bytes(), 35u);
  ledger_.on(release(0x1000, Kind::free, 30'000));
  ledger_.on(release(0x7000, Kind::free, 31'000));
  const ProcessTotals all = totals();
  EXPECT_EQ(all.figures.calls, 1u);
  EXPECT_EQ(all.figures.allocated_bytes, 5u);
  EXPECT_EQ(all.peak_live_bytes, 35u);
  EXPECT_EQ(all.live_bytes_at_exit, 5u);
  EXPECT_EQ(all.unmatched_frees, 1u);
  EXPECT_EQ(of(9).calls, 0u);
  EXPECT_EQ(of(9).frees, 1u);
  EXPECT_EQ(of(9).live_at_peak_bytes, 30u);
}

TEST_F(LedgerTest, SumsBeforeTheCallsAreKeptApart) {
  ledger_.on(sums(10'000, 7, 30, 90));
  ledger_.on(sums(20'000, 9, 40, 50));
  ledger_.on(trace::CallsBegin{.process = {}, .time = 20'000, .reached = true, .seen = {}});
  ProcessReport report;
  ledger_.finish(30'000);
  ledger_.fill(report);
  ASSERT_TRUE(report.earlier);
  EXPECT_TRUE(report.earlier->reached);
  EXPECT_EQ(report.earlier->calls, 9u);
  EXPECT_EQ(report.earlier->live_bytes, 40u);
  EXPECT_EQ(report.earlier->peak_live_bytes, 90u);
  EXPECT_EQ(report.totals.figures.calls, 0u);
}

TEST_F(LedgerTest, WindowsBeforeTheCallsHaveTheSumsPeaksAndCalls) {
  ledger_.on(sums(10'000, 7, 30, 90));
  ledger_.cut(10'000);
  ledger_.on(sums(20'000, 9, 40, 50));
  ledger_.on(trace::CallsBegin{.process = {}, .time = 20'000, .reached = true, .seen = {}});
  ledger_.on(earlier(0x1000, 40));
  ledger_.cut(20'000);
  ledger_.on(allocation(0x2000, 5, 1, 25'000));
  ledger_.finish(30'000);
  const std::vector<Window>& windows = ledger_.windows().windows();
  ASSERT_EQ(windows.size(), 3u);
  EXPECT_EQ(windows[0].peak_live_bytes, 90u);
  EXPECT_EQ(windows[0].calls, 7u);
  EXPECT_EQ(windows[1].begin_live_bytes, 30u);
  EXPECT_EQ(windows[1].peak_live_bytes, 50u);
  EXPECT_EQ(windows[1].calls, 2u);
  EXPECT_EQ(windows[2].begin_live_bytes, 40u);
  EXPECT_EQ(windows[2].peak_live_bytes, 45u);
  EXPECT_EQ(windows[2].calls, 1u);
}

TEST_F(LedgerTest, InheritedBlocksFromBeforeTheCallsAreOfNoCallHere) {
  ledger_.on(earlier(0x1000, 30, true));
  const ProcessTotals all = totals();
  EXPECT_EQ(all.inherited_blocks, 1u);
  EXPECT_EQ(all.live_bytes_at_exit, 0u);
  EXPECT_EQ(all.inherited_live_bytes_at_exit, 30u);
  EXPECT_EQ(of(9).live_blocks, 0u);
}

TEST_F(LedgerTest, LiveAtThePeakIsExactForEachStack) {
  ledger_.on(allocation(0x1000, 100, 1, 10'000));
  ledger_.on(allocation(0x2000, 50, 2, 20'000));
  ledger_.on(release(0x1000, Kind::free, 30'000));
  ledger_.on(allocation(0x3000, 60, 3, 40'000));
  totals();
  EXPECT_EQ(of(1).live_at_peak_bytes, 100u);
  EXPECT_EQ(of(2).live_at_peak_bytes, 50u);
  EXPECT_EQ(of(3).live_at_peak_bytes, 0u);
  EXPECT_EQ(of(3).peak_live_bytes, 60u);
  EXPECT_EQ(totals().peak_live_ns, 20'000u);
}

TEST_F(LedgerTest, AnAllocationAtALiveAddressClosesTheOldRecord) {
  ledger_.on(allocation(0x1000, 100, 1));
  ledger_.on(allocation(0x1000, 30, 2));
  const ProcessTotals all = totals();
  EXPECT_EQ(all.replaced, 1u);
  EXPECT_EQ(all.live_blocks_at_exit, 1u);
  EXPECT_EQ(all.live_bytes_at_exit, 30u);
  EXPECT_EQ(of(1).live_blocks, 0u);
}

TEST_F(LedgerTest, AFreeOfAnUnknownAddressIsCounted) {
  ledger_.on(release(0x1000));
  EXPECT_EQ(totals().unmatched_frees, 1u);
  EXPECT_EQ(totals().figures.frees, 0u);
}

TEST_F(LedgerTest, AReallocEndsTheOldBlockAndIsOneCall) {
  ledger_.on(allocation(0x1000, 100, 1));
  ledger_.on(release(0x1000, Kind::realloc));
  ledger_.on(reallocation(0x2000, 200, 0x1000, 2));
  const ProcessTotals all = totals();
  EXPECT_EQ(all.figures.calls, 2u);
  EXPECT_EQ(all.live_bytes_at_exit, 200u);
  EXPECT_EQ(all.figures.reallocs, 1u);
  EXPECT_EQ(all.figures.reallocs_moved, 1u);
  EXPECT_EQ(all.figures.realloc_copied_bytes, 100u);
}

TEST_F(LedgerTest, AReallocInPlaceCopiesNothing) {
  ledger_.on(allocation(0x1000, 100, 1));
  ledger_.on(release(0x1000, Kind::realloc));
  ledger_.on(reallocation(0x1000, 200, 0x1000, 2));
  EXPECT_EQ(totals().figures.reallocs, 1u);
  EXPECT_EQ(totals().figures.reallocs_moved, 0u);
  EXPECT_EQ(totals().replaced, 0u);
}

TEST_F(LedgerTest, AFailedReallocLeavesTheBlockAlive) {
  ledger_.on(allocation(0x1000, 100, 1));
  ledger_.on(release(0x1000, Kind::realloc));
  ledger_.on(release(0x1000, Kind::realloc_failed));
  ledger_.on(release(0x1000));
  const ProcessTotals all = totals();
  EXPECT_EQ(all.figures.calls, 1u);
  EXPECT_EQ(all.figures.frees, 1u);
  EXPECT_EQ(all.live_blocks_at_exit, 0u);
  EXPECT_EQ(all.unmatched_frees, 0u);
}

TEST_F(LedgerTest, ReallocsOfTwoThreadsDoNotMix) {
  ledger_.on(allocation(0x1000, 100, 1, 0, 1));
  ledger_.on(allocation(0x2000, 300, 1, 0, 2));
  ledger_.on(release(0x1000, Kind::realloc, 0, 1));
  ledger_.on(release(0x2000, Kind::realloc, 0, 2));
  ledger_.on(release(0x2000, Kind::realloc_failed, 0, 2));
  ledger_.on(reallocation(0x3000, 150, 0x1000, 2, 1));
  EXPECT_EQ(totals().live_bytes_at_exit, 450u);
  EXPECT_EQ(totals().figures.realloc_copied_bytes, 100u);
}

TEST_F(LedgerTest, ABlockFreedByTheThreadsNextEventIsTemporary) {
  ledger_.on(allocation(0x1000, 100, 1));
  ledger_.on(release(0x1000));
  EXPECT_EQ(totals().figures.temporary, 1u);
}

TEST_F(LedgerTest, ABlockFreedAfterAnotherEventOfItsThreadIsNotTemporary) {
  ledger_.on(allocation(0x1000, 100, 1));
  ledger_.on(allocation(0x2000, 100, 1));
  ledger_.on(release(0x1000));
  EXPECT_EQ(totals().figures.temporary, 0u);
}

TEST_F(LedgerTest, EventsOfOtherThreadsDoNotMatterForTemporary) {
  ledger_.on(allocation(0x1000, 100, 1, 0, 1));
  ledger_.on(allocation(0x2000, 100, 1, 0, 2));
  ledger_.on(release(0x1000, Kind::free, 0, 1));
  EXPECT_EQ(totals().figures.temporary, 1u);
}

TEST_F(LedgerTest, ABlockFreedByAnotherThreadIsNotTemporary) {
  ledger_.on(allocation(0x1000, 100, 1, 0, 1));
  ledger_.on(release(0x1000, Kind::free, 0, 2));
  EXPECT_EQ(totals().figures.temporary, 0u);
}

TEST_F(LedgerTest, AChildFreesInheritedBlocksAndCountsItsOwnCalls) {
  ledger_.on(allocation(0x1000, 100, 1));
  ledger_.on(allocation(0x2000, 50, 1));
  Ledger child = ledger_.fork(5);
  child.on(release(0x1000));
  child.on(allocation(0x3000, 7, 2));
  child.finish(10);
  ProcessTotals all;
  child.fill(all);
  EXPECT_EQ(all.figures.calls, 1u);
  EXPECT_EQ(all.figures.frees, 0u);
  EXPECT_EQ(all.live_blocks_at_exit, 1u);
  EXPECT_EQ(all.inherited_blocks, 2u);
  EXPECT_EQ(all.inherited_bytes, 150u);
  EXPECT_EQ(all.inherited_live_at_exit, 1u);
  EXPECT_EQ(all.inherited_live_bytes_at_exit, 50u);
  EXPECT_EQ(all.peak_live_bytes, 150u);
  EXPECT_EQ(child.live_bytes(), 57u);
  EXPECT_EQ(ledger_.live_bytes(), 150u);
}

TEST_F(LedgerTest, LifetimesAreCountedInDecades) {
  ledger_.on(allocation(0x1000, 100, 1, 0));
  ledger_.on(release(0x1000, Kind::free, 500));
  ledger_.on(allocation(0x1000, 100, 1, 0));
  ledger_.on(release(0x1000, Kind::free, 50'000));
  EXPECT_EQ(ledger_.lifetimes().blocks[0], 1u);
  EXPECT_EQ(ledger_.lifetimes().blocks[2], 1u);
}

TEST_F(LedgerTest, NotesLiveAsLongAsTheirBlocks) {
  ledger_.on(allocation(0x1000, 100, 1));
  trace::BlockNote note;
  note.address = 0x1000;
  note.bytes = 40;
  ledger_.on(note);
  ASSERT_EQ(ledger_.used_notes().size(), 1u);
  EXPECT_EQ(ledger_.used_notes().at(0x1000), 40u);
  ledger_.on(release(0x1000));
  EXPECT_TRUE(ledger_.used_notes().empty());
}

TEST_F(LedgerTest, APoolKnowsWhatIsParkedInIt) {
  trace::BlockNote note;
  note.kind = trace::BlockNote::Kind::pool_free;
  note.address = 0x1010;
  note.bytes = 24;
  ledger_.on(note);
  EXPECT_EQ(ledger_.pool_notes().size(), 1u);
  note.kind = trace::BlockNote::Kind::pool_alloc;
  ledger_.on(note);
  EXPECT_TRUE(ledger_.pool_notes().empty());
}

// An independent model: everything kept, everything recomputed at each step from the list of live blocks.
struct NaiveModel {
  struct Live {
    Bytes bytes;
    std::uint32_t stack;
  };
  std::map<Address, Live> live;
  Bytes peak = 0;
  std::map<std::uint32_t, Bytes> at_peak, own_peak;

  std::map<std::uint32_t, Bytes> by_stack() const {
    std::map<std::uint32_t, Bytes> sums;
    for (const auto& [address, block] : live) sums[block.stack] += block.bytes;
    return sums;
  }
  void look() {
    Bytes total = 0;
    for (const auto& [stack, bytes] : by_stack()) {
      total += bytes;
      own_peak[stack] = std::max(own_peak[stack], bytes);
    }
    if (total > peak) {
      peak = total;
      at_peak = by_stack();
    }
  }
};

TEST_F(LedgerTest, AgreesWithANaiveModelOnRandomEvents) {
  std::mt19937 random(20261130);
  NaiveModel model;
  for (int i = 0; i < 20'000; ++i) {
    const Address address = 0x1000 + 16 * (random() % 200);
    const bool free_it = model.live.count(address) != 0 && random() % 8 != 0;
    if (free_it) {
      ledger_.on(release(address));
      model.live.erase(address);
    } else {
      const Bytes size = random() % 1000;
      const std::uint32_t stack = 1 + static_cast<std::uint32_t>(random() % 300);
      ledger_.on(allocation(address, size, stack));
      model.live[address] = {size, stack};
    }
    model.look();
  }
  EXPECT_EQ(totals().peak_live_bytes, model.peak);
  EXPECT_EQ(ledger_.live_blocks(), model.live.size());
  auto live = model.by_stack();
  for (const StackFigures& entry : ledger_.figures()) {
    const std::uint32_t stack = entry.stack.value;
    EXPECT_EQ(entry.figures.live_at_peak_bytes, model.at_peak[stack]) << stack;
    EXPECT_EQ(entry.figures.peak_live_bytes, model.own_peak[stack]) << stack;
    EXPECT_EQ(entry.figures.live_bytes, live[stack]) << stack;
    EXPECT_EQ(ledger_.windows().peak_live_bytes(SiteIndex{stack}), model.own_peak[stack]) << stack;
  }
}

}  // namespace
}  // namespace memswell::analysis
