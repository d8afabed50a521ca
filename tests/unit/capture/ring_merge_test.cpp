#include <gtest/gtest.h>

#include <array>

#include "ring_producer.h"

namespace memswell::capture::test {
namespace {

constexpr std::uint64_t kNoEnd = ~std::uint64_t{0};

class RingMergeTest : public ::testing::Test {
 protected:
  Region region = *Region::create({});
  RingProducer a{region, 0, 1};
  RingProducer b{region, 1, 2};
  RingProducer c{region, 2, 3};
  std::array<Ring*, 3> rings = {&a.ring, &b.ring, &c.ring};
  std::vector<Ring*> scratch;
  std::vector<Address> order;

  std::uint64_t round(std::uint64_t window_end, Emitted outcome = Emitted::taken) {
    return merge_round(rings, window_end, scratch, [&](Ring&, const RingRecord& record) {
      if (outcome != Emitted::hold) order.push_back(record.address);
      return outcome;
    });
  }
};

TEST_F(RingMergeTest, OrdersByStampAcrossRings) {
  a.malloc(1, 10);
  a.malloc(4, 40);
  b.malloc(2, 20);
  b.malloc(5, 50);
  c.malloc(3, 30);
  round(kNoEnd);
  EXPECT_EQ(order, (std::vector<Address>{1, 2, 3, 4, 5}));
}

TEST_F(RingMergeTest, LeavesWhatTheWindowDoesNotCover) {
  a.malloc(1, 10);
  b.malloc(2, 20);
  a.malloc(3, 30);
  round(25);
  EXPECT_EQ(order, (std::vector<Address>{1, 2}));
  round(kNoEnd);
  EXPECT_EQ(order, (std::vector<Address>{1, 2, 3}));
}

TEST_F(RingMergeTest, PutsALateRecordAtTheStartOfTheNextWindow) {
  a.malloc(1, 10);
  a.malloc(2, 30);
  round(40);
  b.malloc(3, 20);  // stamped before the window's end, committed after its head was read
  a.malloc(4, 50);
  round(kNoEnd);
  EXPECT_EQ(order, (std::vector<Address>{1, 2, 3, 4}));
}

TEST_F(RingMergeTest, NeverReordersOneRing) {
  a.malloc(1, 20);
  a.malloc(2, 15);  // a signal handler's, stamped before the record that it interrupted was written
  b.malloc(3, 17);
  round(kNoEnd);
  EXPECT_EQ(order, (std::vector<Address>{3, 1, 2}));
}

TEST_F(RingMergeTest, TellsTheProgramWhatWasRead) {
  a.malloc(1, 10);
  EXPECT_EQ(round(kNoEnd), 3u);
  EXPECT_EQ(a.ring.slot->tail.load(), 3u);
}

TEST_F(RingMergeTest, WakesAThreadThatWaitsForRoom) {
  a.malloc(1, 10);
  a.ring.slot->waiting.store(1);
  round(kNoEnd);
  EXPECT_EQ(a.ring.slot->wake.load(), 1u);
}

TEST_F(RingMergeTest, HoldsEverythingBehindARecordThatMustWait) {
  a.malloc(1, 10);
  b.malloc(2, 20);
  EXPECT_EQ(round(kNoEnd, Emitted::hold), 0u);
  EXPECT_TRUE(order.empty());
  round(kNoEnd);
  EXPECT_EQ(order, (std::vector<Address>{1, 2}));
}

TEST_F(RingMergeTest, EndsTheRoundBehindARecordThatAsksForASnapshot) {
  a.malloc(1, 10);
  b.malloc(2, 20);
  round(kNoEnd, Emitted::taken_last);
  EXPECT_EQ(order, (std::vector<Address>{1}));
}

TEST_F(RingMergeTest, GoesOnWithTheOthersWhenARingIsBroken) {
  a.append({0xff, 5});
  b.malloc(2, 20);
  round(kNoEnd);
  EXPECT_TRUE(a.ring.broken);
  EXPECT_EQ(order, (std::vector<Address>{2}));
}

TEST_F(RingMergeTest, ThrowsAwayWhatComesIntoABrokenRing) {
  a.append({0xff, 5});
  round(kNoEnd);
  a.malloc(1, 10);
  round(kNoEnd);
  EXPECT_TRUE(order.empty());
  EXPECT_EQ(a.ring.slot->tail.load(), a.ring.slot->head.load());
}

TEST_F(RingMergeTest, ReadsMoreThanTheRingHoldsWhenTheProgramKeepsWriting) {
  for (std::uint64_t i = 0; i < 1000; ++i) {
    a.malloc(i, 2 * i);
    b.free(i, 2 * i + 1);
    round(kNoEnd);
  }
  ASSERT_EQ(order.size(), 2000u);
  EXPECT_EQ(order.back(), 999u);
}

}  // namespace
}  // namespace memswell::capture::test
