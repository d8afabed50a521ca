#include "analysis/mapped_ranges.h"

#include <gtest/gtest.h>

namespace memswell::analysis {
namespace {

using Kind = trace::MappingEvent::Kind;

trace::MappingEvent event(Kind kind, Address address, Bytes length, std::uint32_t stack = 1) {
  trace::MappingEvent made;
  made.kind = kind;
  made.address = address;
  made.length = length;
  made.stack = StackId{stack};
  return made;
}

TEST(MappedRanges, KeepsWhoMapped) {
  MappedRanges mapped;
  mapped.on(event(Kind::map, 0x10000, 0x3000, 7));
  ASSERT_EQ(mapped.ranges().size(), 1u);
  EXPECT_EQ(mapped.ranges().at(0x10000).end, 0x13000u);
  EXPECT_EQ(mapped.ranges().at(0x10000).stack, StackId{7});
}

TEST(MappedRanges, UnmappingTheMiddleLeavesBothSides) {
  MappedRanges mapped;
  mapped.on(event(Kind::map, 0x10000, 0x3000));
  mapped.on(event(Kind::unmap, 0x11000, 0x1000));
  ASSERT_EQ(mapped.ranges().size(), 2u);
  EXPECT_EQ(mapped.ranges().at(0x10000).end, 0x11000u);
  EXPECT_EQ(mapped.ranges().at(0x12000).end, 0x13000u);
}

TEST(MappedRanges, MappingOverAnotherReplacesThatPart) {
  MappedRanges mapped;
  mapped.on(event(Kind::map, 0x10000, 0x3000, 1));
  mapped.on(event(Kind::map, 0x12000, 0x3000, 2));
  EXPECT_EQ(mapped.ranges().at(0x10000).end, 0x12000u);
  EXPECT_EQ(mapped.ranges().at(0x12000).stack, StackId{2});
}

TEST(MappedRanges, RemapMovesTheRange) {
  MappedRanges mapped;
  mapped.on(event(Kind::map, 0x10000, 0x1000, 1));
  trace::MappingEvent remap = event(Kind::remap, 0x40000, 0x5000, 2);
  remap.old_address = 0x10000;
  remap.old_length = 0x1000;
  mapped.on(remap);
  ASSERT_EQ(mapped.ranges().size(), 1u);
  EXPECT_EQ(mapped.ranges().at(0x40000).end, 0x45000u);
}

TEST(MappedRanges, LengthsAreRoundedUpToPages) {
  MappedRanges mapped;
  mapped.on(event(Kind::map, 0x10000, 100));
  EXPECT_EQ(mapped.ranges().at(0x10000).end, 0x11000u);
}

TEST(MappedRanges, ALengthThatWrapsIsNoMapping) {
  MappedRanges mapped;
  mapped.on(event(Kind::map, ~Address{0} - 0xfff, ~Bytes{0} - 5));
  EXPECT_TRUE(mapped.ranges().empty());
}

trace::MappingEvent break_moves(Address before, Address after, std::uint32_t stack = 1) {
  trace::MappingEvent made = event(Kind::heap_break, after, 0, stack);
  made.old_address = before;
  return made;
}

TEST(MappedRanges, TheProgramsOwnBreakIsItsOwnToTheByte) {
  MappedRanges mapped;
  mapped.on(break_moves(0x10010, 0x18010, 7));
  ASSERT_EQ(mapped.ranges().size(), 1u);
  EXPECT_EQ(mapped.ranges().at(0x10010).end, 0x18010u);
  EXPECT_EQ(mapped.ranges().at(0x10010).stack, StackId{7});
  EXPECT_TRUE(mapped.ranges().at(0x10010).by_break);
  mapped.on(break_moves(0x18010, 0x12000));
  EXPECT_EQ(mapped.ranges().at(0x10010).end, 0x12000u) << "given back from the end";
}

TEST(MappedRanges, ABreakWhoseBeginIsNotKnownIsLeftToTheAllocator) {
  MappedRanges mapped;
  mapped.on(break_moves(0, 0x18000));
  EXPECT_TRUE(mapped.ranges().empty());
}

}  // namespace
}  // namespace memswell::analysis
