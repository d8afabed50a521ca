#include "analysis/live_set.h"

#include <gtest/gtest.h>

#include <map>
#include <random>
#include <vector>

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

std::vector<Address> addresses_of(const LiveSet& set) {
  std::vector<Address> addresses;
  const BlocksInOrder blocks(set);
  for (const PlacedBlock placed : blocks) addresses.push_back(placed.address);
  return addresses;
}

TEST(LiveSet, GivesItsBlocksInOrderOfAddressWhateverTheOrderTheyCameIn) {
  LiveSet set;
  for (const Address address : std::vector<Address>{~Address{0}, 0x2001, 0x1ff0, 0x2000, 0x0, 0x7000'0000'0010})
    set.insert(address, Block(allocation(address, 10)));
  EXPECT_EQ(addresses_of(set), (std::vector<Address>{0x0, 0x1ff0, 0x2000, 0x2001, 0x7000'0000'0010, ~Address{0}}));
}

TEST(LiveSet, TheFirstBlockAtOrBehindAnAddress) {
  LiveSet set;
  for (const Address address : {0x1010u, 0x1800u, 0x5010u}) set.insert(address, Block(allocation(address, 10)));
  const BlocksInOrder blocks(set);
  EXPECT_EQ(blocks.from(0).address(), 0x1010u);
  EXPECT_EQ(blocks.from(0x1011).address(), 0x1800u);
  EXPECT_EQ(blocks.from(0x1801).address(), 0x5010u);
  EXPECT_EQ(blocks.from(0x5011), blocks.end());
}

TEST(LiveSet, BlocksInOrderStayWhatTheyWere) {
  LiveSet set;
  set.insert(0x1010, Block(allocation(0x1010, 10)));
  const BlocksInOrder blocks(set);
  Block block;
  EXPECT_TRUE(set.take(0x1010, block));
  ASSERT_NE(blocks.begin(), blocks.end());
  EXPECT_EQ((*blocks.begin()).block.requested(), 10u);
}

TEST(LiveSet, AnAllocationAtAnAddressStillLiveTakesThePlace) {
  LiveSet set;
  set.insert(0x1230, Block(allocation(0x1230, 10)));
  Block old;
  EXPECT_TRUE(set.replace(0x1230, Block(allocation(0x1230, 20)), old));
  EXPECT_EQ(old.requested(), 10u);
  ASSERT_NE(set.find(0x1230), nullptr);
  EXPECT_EQ(set.find(0x1230)->requested(), 20u);
}

// Against std::map: random places, many on a page, pages that empty and fill again.
TEST(LiveSet, AgreesWithAMapThroughAMillionChanges) {
  std::mt19937 random(3);
  LiveSet set;
  std::map<Address, Bytes> model;
  for (int i = 0; i < 1'000'000; ++i) {
    const Bytes spread = (i / 100'000) % 2 == 0 ? 0x10'0000 : 0x4000'0000;
    const Address address = 16 * (random() % (spread / 16));
    const Bytes bytes = random() % 1000;
    Block block;
    if (random() % 2 == 0) {
      ASSERT_EQ(set.insert(address, Block(allocation(address, bytes))), model.emplace(address, bytes).second);
    } else {
      ASSERT_EQ(set.take(address, block), model.erase(address) == 1);
    }
  }
  ASSERT_EQ(set.size(), model.size());
  auto at = model.begin();
  const BlocksInOrder blocks(set);
  for (const PlacedBlock placed : blocks) {
    ASSERT_EQ(placed.address, at->first);
    ASSERT_EQ(placed.block.requested(), at->second);
    ++at;
  }
}

// Dense as a heap is: bytes a block. Alone on its page: bytes a page, also after everything has gone.
TEST(LiveSet, MemoryFollowsWhatIsLive) {
  constexpr Bytes kBlocks = 200'000;
  LiveSet dense;
  for (Address address = 0x10'0000; dense.size() < kBlocks; address += 144) dense.insert(address, Block());
  EXPECT_LT(dense.held_bytes(), 36 * kBlocks);
  LiveSet sparse;
  Block block;
  for (Address page = 1; page <= kBlocks; ++page) sparse.insert(page << 16, Block());
  EXPECT_LT(sparse.held_bytes(), 250 * kBlocks);
  for (Address page = 1; page <= kBlocks; ++page) EXPECT_TRUE(sparse.take(page << 16, block));
  EXPECT_LT(sparse.held_bytes(), 2 * kBlocks);
}

}  // namespace
}  // namespace memswell::analysis
