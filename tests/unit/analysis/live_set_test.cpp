#include "analysis/live_set.h"

#include <gtest/gtest.h>

#include "tests/unit/analysis/events_by_hand.h"

namespace memswell::analysis {
namespace {

using test::allocation;

TEST(Block, KeepsSizesStackAndTime) {
  const Block block(allocation(0x1000, 100, 7, 5'000'000'000'000));
  EXPECT_EQ(block.requested(), 100u);
  EXPECT_EQ(block.usable(), 104u);
  EXPECT_EQ(block.slack(), 4u);
  EXPECT_EQ(block.stack, StackId{7});
  EXPECT_EQ(block.time_us(), 5'000'000'000u);
}

TEST(Block, UsableIsNeverBelowRequested) {
  trace::Allocation event = allocation(0x1000, 100);
  event.usable = 0;
  EXPECT_EQ(Block(event).slack(), 0u);
}

TEST(LiveSet, TakesOutWhatWasPutIn) {
  LiveSet set;
  EXPECT_TRUE(set.insert(0x1000, Block(allocation(0x1000, 10))));
  EXPECT_FALSE(set.insert(0x1000, Block(allocation(0x1000, 20))));
  Block block;
  EXPECT_TRUE(set.take(0x1000, block));
  EXPECT_EQ(block.requested(), 10u);
  EXPECT_FALSE(set.take(0x1000, block));
}

TEST(LiveSet, AChildsChangesLeaveTheParentAlone) {
  LiveSet parent;
  parent.insert(0x1000, Block(allocation(0x1000, 10)));
  LiveSet child = parent.inherit();
  Block block;
  EXPECT_TRUE(child.take(0x1000, block));
  EXPECT_TRUE(block.inherited);
  EXPECT_EQ(child.size(), 0u);
  ASSERT_NE(parent.find(0x1000), nullptr);
  EXPECT_FALSE(parent.find(0x1000)->inherited);
}

TEST(LiveSet, AParentsChangesLeaveTheChildAlone) {
  LiveSet parent;
  parent.insert(0x1000, Block(allocation(0x1000, 10)));
  LiveSet child = parent.inherit();
  Block block;
  EXPECT_TRUE(parent.take(0x1000, block));
  EXPECT_FALSE(block.inherited);
  EXPECT_TRUE(child.take(0x1000, block));
  EXPECT_TRUE(block.inherited);
}

TEST(LiveSet, WhatAChildAllocatesItselfIsNotInherited) {
  LiveSet parent;
  parent.insert(0x1000, Block(allocation(0x1000, 10)));
  LiveSet child = parent.inherit();
  child.insert(0x2000, Block(allocation(0x2000, 10)));
  EXPECT_FALSE(child.find(0x2000)->inherited);
  EXPECT_TRUE(child.find(0x1000)->inherited);
}

}  // namespace
}  // namespace memswell::analysis
