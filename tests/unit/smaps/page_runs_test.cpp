// The pure part of page maps: bits of entries, joining of runs, settling what pagemap cannot tell.
#include <gtest/gtest.h>

#include "probes/smaps/page_map.h"
#include "probes/smaps/pagemap_file.h"

namespace memswell::smaps {
namespace {

constexpr std::uint64_t bit(int number) { return std::uint64_t{1} << number; }
constexpr auto kPresentPrivate = PageBit::present | PageBit::shared_known;
constexpr auto kAmbiguous = kPresentPrivate | PageBit::shared | PageBit::maybe_zero_page;
constexpr auto kZero = PageBit::present | PageBit::zero_page;

Mapping mapping(Address begin, Address end, Bytes rss_bytes) {
  Mapping mapping;
  mapping.begin = begin;
  mapping.end = end;
  mapping.rss_bytes = rss_bytes;
  return mapping;
}

TEST(PagemapEntry, AWrittenPrivatePageIsResident) {
  EXPECT_EQ(bits_of_pagemap_entry(bit(63) | bit(56)), kPresentPrivate);
}

TEST(PagemapEntry, AFilePageMappedTwiceIsShared) {
  EXPECT_EQ(bits_of_pagemap_entry(bit(63) | bit(61)), kPresentPrivate | PageBit::file | PageBit::shared);
}

TEST(PagemapEntry, APresentPageOfNobodyMayBeTheZeroPage) { EXPECT_EQ(bits_of_pagemap_entry(bit(63)), kAmbiguous); }

TEST(PagemapEntry, ASwappedPageIsNotPresent) {
  EXPECT_EQ(bits_of_pagemap_entry(bit(62) | 0x1234), static_cast<std::uint32_t>(PageBit::swapped));
}

TEST(PagemapEntry, AGuardPageIsNothing) {
  EXPECT_EQ(bits_of_pagemap_entry(bit(58)), 0u);
  EXPECT_EQ(bits_of_pagemap_entry(bit(62) | bit(58)), 0u);
}

TEST(PagemapEntry, SoftDirtyAloneIsNothing) { EXPECT_EQ(bits_of_pagemap_entry(bit(55)), 0u); }

TEST(PageRuns, NeighboursWithTheSameBitsAreJoined) {
  std::vector<PageRun> runs;
  append_run(runs, {0x1000, 0x2000, 1});
  append_run(runs, {0x2000, 0x3000, 1});
  append_run(runs, {0x3000, 0x4000, 3});
  append_run(runs, {0x5000, 0x6000, 3});
  EXPECT_EQ(runs, (std::vector<PageRun>{{0x1000, 0x3000, 1}, {0x3000, 0x4000, 3}, {0x5000, 0x6000, 3}}));
}

TEST(PageTotals, CountOnlyThePartWithinTheRange) {
  const std::vector<PageRun> runs = {{0x1000, 0x4000, kPresentPrivate}, {0x4000, 0x5000, kZero}};
  const auto totals = page_totals(runs, 0x2000, 0x5000);
  EXPECT_EQ(totals.resident_bytes, 0x2000u);
  EXPECT_EQ(totals.zero_page_bytes, 0x1000u);
}

TEST(PageTotals, AnAmbiguousPageIsNotResident) {
  const std::vector<PageRun> runs = {{0x1000, 0x2000, kAmbiguous}};
  EXPECT_EQ(page_totals(runs).resident_bytes, 0u);
  EXPECT_EQ(page_totals(runs).ambiguous_bytes, 0x1000u);
}

TEST(AmbiguousPages, AreZeroPagesWhereRssHasNoRoomForThem) {
  const std::vector<PageRun> runs = {{0x1000, 0x2000, kPresentPrivate}, {0x2000, 0x9000, kAmbiguous}};
  const std::vector<Mapping> mappings = {mapping(0x1000, 0x9000, 0x1000)};
  const std::vector<PageRun> expected = {{0x1000, 0x2000, kPresentPrivate}, {0x2000, 0x9000, kZero}};
  EXPECT_EQ(settle_ambiguous_pages(runs, mappings), expected);
}

TEST(AmbiguousPages, AreSharedByForkWhereRssCountsThemAll) {
  const std::vector<PageRun> runs = {{0x1000, 0x2000, kPresentPrivate}, {0x2000, 0x9000, kAmbiguous}};
  const std::vector<Mapping> mappings = {mapping(0x1000, 0x9000, 0x8000)};
  const std::vector<PageRun> expected = {{0x1000, 0x2000, kPresentPrivate},
                                         {0x2000, 0x9000, kPresentPrivate | PageBit::shared}};
  EXPECT_EQ(settle_ambiguous_pages(runs, mappings), expected);
}

TEST(AmbiguousPages, StayMarkedWhereBothKindsAreMixed) {
  const std::vector<PageRun> runs = {{0x1000, 0x9000, kAmbiguous}};
  EXPECT_EQ(settle_ambiguous_pages(runs, std::vector{mapping(0x1000, 0x9000, 0x3000)}), runs);
}

TEST(AmbiguousPages, AreJudgedMappingByMapping) {
  const std::vector<PageRun> runs = {{0x1000, 0x9000, kAmbiguous}};
  const std::vector<Mapping> mappings = {mapping(0x1000, 0x4000, 0), mapping(0x4000, 0x9000, 0x5000)};
  const std::vector<PageRun> expected = {{0x1000, 0x4000, kZero}, {0x4000, 0x9000, kPresentPrivate | PageBit::shared}};
  EXPECT_EQ(settle_ambiguous_pages(runs, mappings), expected);
}

TEST(PageRuns, PagesOfHugetlbfsAreCutOut) {
  auto hugetlb = mapping(0x3000, 0x5000, 0);
  hugetlb.vm_flags = "rd wr mr mw me ht sd";
  const std::vector<PageRun> runs = {{0x1000, 0x9000, kPresentPrivate}, {0x9000, 0xa000, kZero}};
  const std::vector<PageRun> expected = {
      {0x1000, 0x3000, kPresentPrivate}, {0x5000, 0x9000, kPresentPrivate}, {0x9000, 0xa000, kZero}};
  EXPECT_EQ(without_hugetlb(runs, std::vector{hugetlb}), expected);
}

}  // namespace
}  // namespace memswell::smaps
