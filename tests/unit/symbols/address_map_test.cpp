#include "symbols/address_map.h"

#include <gtest/gtest.h>

namespace memswell::symbols {
namespace {

TEST(AddressMap, FindsNothingWhenEmpty) {
  EXPECT_EQ(AddressMap().find(0), std::nullopt);
  EXPECT_EQ(AddressMap(std::vector<AddressRange>{}).find(UINT64_MAX), std::nullopt);
}

TEST(AddressMap, EndsAreExclusive) {
  const AddressMap map({{10, 20, {}, 7}});
  EXPECT_EQ(map.find(9), std::nullopt);
  EXPECT_EQ(map.find(10), 7u);
  EXPECT_EQ(map.find(19), 7u);
  EXPECT_EQ(map.find(20), std::nullopt);
}

TEST(AddressMap, TheHigherPrecedenceHoldsAndTheLowerComesBackBehindIt) {
  const AddressMap map({{10, 100, {1, 0}, 1}, {20, 60, {2, 0}, 2}, {30, 40, {3, 0}, 3}, {50, 60, {3, 0}, 4}});
  EXPECT_EQ(map.find(15), 1u);
  EXPECT_EQ(map.find(25), 2u);
  EXPECT_EQ(map.find(35), 3u);
  EXPECT_EQ(map.find(45), 2u);
  EXPECT_EQ(map.find(55), 4u);
  EXPECT_EQ(map.find(99), 1u);
}

TEST(AddressMap, TakesRangesThatCross) {
  const AddressMap map({{10, 30, {2, 0}, 1}, {20, 40, {1, 0}, 2}});
  EXPECT_EQ(map.find(29), 1u);
  EXPECT_EQ(map.find(30), 2u);
}

TEST(AddressMap, IgnoresEmptyAndReversedRanges) {
  const AddressMap map({{10, 10, {9, 0}, 1}, {30, 20, {9, 0}, 2}, {5, 40, {0, 0}, 3}});
  EXPECT_EQ(map.find(10), 3u);
  EXPECT_EQ(map.find(25), 3u);
}

TEST(AddressMap, ReachesToTheLastAddress) {
  const AddressMap map({{0, UINT64_MAX, {}, 1}, {UINT64_MAX - 1, UINT64_MAX, {1, 0}, 2}});
  EXPECT_EQ(map.find(0), 1u);
  EXPECT_EQ(map.find(UINT64_MAX - 1), 2u);
}

}  // namespace
}  // namespace memswell::symbols
