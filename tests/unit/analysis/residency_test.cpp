#include "analysis/residency.h"

#include <gtest/gtest.h>

#include "tests/unit/analysis/memory_by_hand.h"

namespace memswell::analysis {
namespace {

using test::bit;
using test::kPage;
using test::mapping;
using test::run;
using trace::PageBit;

trace::PageSnapshot pages(std::vector<trace::PageRun> runs, trace::PageSource source) {
  trace::PageSnapshot made;
  made.source = source;
  made.runs = std::move(runs);
  return made;
}

TEST(RangeSet, OverlapIsFoundInAnyOrder) {
  RangeSet set;
  for (Address i = 0; i < 100; ++i) set.append(i * 0x2000, i * 0x2000 + 0x1000);
  EXPECT_EQ(set.overlap(0, 0x2000 * 100), 100 * kPage);
  EXPECT_EQ(set.overlap(0x800, 0x2800), 0x1000u);
  EXPECT_EQ(set.overlap(0x2000 * 99, 0x2000 * 100), kPage);
  EXPECT_EQ(set.overlap(0x2000 * 3 + 0x10, 0x2000 * 3 + 0x20), 0x10u);
  EXPECT_EQ(set.overlap(0x1000, 0x2000), 0u);
}

TEST(Residency, ZeroPagesAndSwappedPagesAreNotResident) {
  const auto residency =
      residency_of(pages({run(0x10000, 2), run(0x12000, 1, bit(PageBit::present) | bit(PageBit::zero_page)),
                          run(0x13000, 1, bit(PageBit::swapped))},
                         trace::PageSource::pagemap_scan),
                   {mapping(0x10000, 4, "rw-p", "", 2)});
  EXPECT_EQ(residency.resident.bytes(), 2 * kPage);
  EXPECT_EQ(residency.zero.bytes(), kPage);
  EXPECT_EQ(residency.swapped.bytes(), kPage);
  EXPECT_EQ(residency.ambiguous_bytes, 0u);
}

TEST(Residency, PagesOutsideOfMappingsDoNotCount) {
  const auto residency =
      residency_of(pages({run(0x10000, 8)}, trace::PageSource::pagemap_scan), {mapping(0x12000, 2, "rw-p", "", 2)});
  ASSERT_EQ(residency.resident.ranges().size(), 1u);
  EXPECT_EQ(residency.resident.ranges()[0], (AddressRange{0x12000, 0x14000}));
}

TEST(Residency, SmapsSettlesWhetherDoubtfulPagesAreZeroPages) {
  const std::uint32_t doubtful = bit(PageBit::present) | bit(PageBit::maybe_zero_page);
  const auto all_zero = residency_of(pages({run(0x10000, 4, doubtful)}, trace::PageSource::pagemap),
                                     {mapping(0x10000, 4, "rw-p", "", 0)});
  EXPECT_EQ(all_zero.resident.bytes(), 0u);
  EXPECT_EQ(all_zero.zero.bytes(), 4 * kPage);
  EXPECT_EQ(all_zero.ambiguous_bytes, 0u);
  const auto all_shared = residency_of(pages({run(0x10000, 4, doubtful)}, trace::PageSource::pagemap),
                                       {mapping(0x10000, 4, "rw-p", "", 4)});
  EXPECT_EQ(all_shared.resident.bytes(), 4 * kPage);
  EXPECT_EQ(all_shared.ambiguous_bytes, 0u);
}

TEST(Residency, WhatSmapsDoesNotSettleIsSaid) {
  const std::uint32_t doubtful = bit(PageBit::present) | bit(PageBit::maybe_zero_page);
  const auto residency = residency_of(pages({run(0x10000, 4, doubtful)}, trace::PageSource::pagemap),
                                      {mapping(0x10000, 4, "rw-p", "", 1)});
  EXPECT_EQ(residency.resident.bytes(), kPage);
  EXPECT_EQ(residency.zero.bytes(), 3 * kPage);
  EXPECT_EQ(residency.ambiguous_bytes, kPage);
}

TEST(Residency, WithoutPagesTheRssOfAMappingIsAllThatIsKnown) {
  const auto residency = residency_of(pages({}, trace::PageSource::smaps_only), {mapping(0x10000, 4, "rw-p", "", 3)});
  EXPECT_EQ(residency.resident.bytes(), 3 * kPage);
  EXPECT_EQ(residency.ambiguous_bytes, kPage);
}

}  // namespace
}  // namespace memswell::analysis
