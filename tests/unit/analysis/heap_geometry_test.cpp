#include "analysis/heap_geometry.h"

#include <gtest/gtest.h>

#include "tests/unit/analysis/memory_by_hand.h"

namespace memswell::analysis {
namespace {

using test::block;
using test::kPage;
using test::mapping;

constexpr Address kArena = 0x7f00'0000'0000;

TEST(HeapGeometry, KnowsGlibcByItsName) {
  EXPECT_EQ(allocator_from("glibc 2.36", ""), Allocator::glibc);
  EXPECT_EQ(allocator_from("jemalloc", "glibc 2.36"), Allocator::other);
  EXPECT_EQ(allocator_from("", "glibc 2.36"), Allocator::glibc);
}

TEST(HeapGeometry, RemembersBlocksThatLieFarApartInLittleMemory) {
  constexpr Address kStep = Address{1} << 44;
  HeapHistory history;
  for (Address i = 0; i < 200'000; ++i) history.note(i * kStep + 16, 24);
  EXPECT_LT(history.held_bytes(), Bytes{32} << 20);
  EXPECT_TRUE(history.touched(kStep, kStep + kPage));
  EXPECT_FALSE(history.touched(kStep / 2, kStep / 2 + kPage));
}

// Of which 1 in 100 may lie otherwise: a block made before the library was there.
TEST(HeapGeometry, ALibraryPassesOnToGlibcIfItsBlocksLieAsGlibcLaysThem) {
  const std::vector<smaps::Mapping> mappings{mapping(0x10000, 64, "rw-p", "[heap]", 4)};
  HeapHistory history;
  EXPECT_FALSE(passes_on_to_glibc("libcount.so", "glibc 2.36", history, mappings));
  for (Address i = 0; i < 150; ++i) history.note(0x10010 + i * 32, 24);
  history.note(0x7f00'0000'0010, 33 * kPage - 16);  // with a mapping of its own
  history.note(0x11008, 100);
  EXPECT_TRUE(passes_on_to_glibc("libcount.so", "glibc 2.36", history, mappings));
  EXPECT_FALSE(passes_on_to_glibc("jemalloc", "glibc 2.36", history, mappings));
  EXPECT_FALSE(passes_on_to_glibc("libcount.so", "glibc 2.36", history, {mapping(0x4000'0000, 64, "rw-p", "[heap]", 4)}));
  history.note(0x11018, 100);
  EXPECT_FALSE(passes_on_to_glibc("libcount.so", "glibc 2.36", history, mappings));
}

TEST(HeapGeometry, TheMainHeapIsTheMappingOfThatName) {
  const auto heaps = find_heaps(Allocator::glibc, {mapping(0x10000, 4, "rw-p", "[heap]", 4)}, HeapHistory(), {}, {});
  ASSERT_EQ(heaps.size(), 1u);
  EXPECT_EQ(heaps[0].kind, HeapExtent::Kind::main);
  EXPECT_EQ(heaps[0].end, 0x14000u);
}

TEST(HeapGeometry, AnArenaIsFoundByWhatWasAllocatedInItOnce) {
  HeapHistory history;
  history.note(kArena + 0x1000, 24);
  const auto heaps = find_heaps(Allocator::glibc, {mapping(kArena, 33, "rw-p", "", 3)}, history, {}, {});
  ASSERT_EQ(heaps.size(), 1u);
  EXPECT_EQ(heaps[0].kind, HeapExtent::Kind::arena);
  EXPECT_EQ(heaps[0].begin, kArena);
  EXPECT_EQ(heaps[0].end, kArena + 33 * kPage);
}

TEST(HeapGeometry, AnArenaEndsAfter64MiBThoughItsMappingGoesOn) {
  HeapHistory history;
  history.note(kArena + 0x1000, 24);
  const auto heaps =
      find_heaps(Allocator::glibc, {mapping(kArena, (Bytes{80} << 20) / kPage, "rw-p", "", 3)}, history, {}, {});
  EXPECT_EQ(heaps.at(0).end, kArena + (Bytes{64} << 20));
}

TEST(HeapGeometry, ABlockWithItsOwnMappingMakesNoArena) {
  HeapHistory history;
  history.note(kArena + 16, 33 * kPage - 16);
  EXPECT_TRUE(find_heaps(Allocator::glibc, {mapping(kArena, 33, "rw-p", "", 3)}, history, {}, {}).empty());
}

TEST(HeapGeometry, OtherAllocatorsOwnEveryMappingInWhichTheyEverPlacedABlock) {
  HeapHistory history;
  history.note(kArena + 0x5000, 48);
  const auto heaps = find_heaps(
      Allocator::other, {mapping(kArena, 512, "rw-p", "", 3), mapping(kArena + (Bytes{512} << 20), 4, "rw-p", "", 3)},
      history, {}, {});
  ASSERT_EQ(heaps.size(), 1u);
  EXPECT_EQ(heaps[0].begin, kArena);
}

}  // namespace
}  // namespace memswell::analysis
