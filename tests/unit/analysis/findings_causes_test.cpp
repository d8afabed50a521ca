// Findings that promise and blame no more than was seen.
#include "tests/unit/analysis/findings_by_hand.h"

namespace memswell::analysis {
namespace {

using test::FindingsTest;
using test::kMiB;

TEST_F(FindingsTest, CallocOutOfTheHeapIsTheTrap) {
  Site& site = process_.sites[0];
  site.figures.calloc_bytes = site.figures.allocated_bytes = 80 * kMiB;
  site.figures.large_mapped_calls = 1;
  site.figures.large_heap_calls = 4;
  site.largest_block_bytes = 16 * kMiB;
  const Finding finding = only(FindingKind::lazy_calloc);
  EXPECT_EQ(finding.certainty, Certainty::inference);
  EXPECT_EQ(finding.saves_bytes, 16 * kMiB);
  EXPECT_NE(finding.sentence.find("the first in a mapping of its own, 4 out of the heap"), std::string::npos);
  site.figures.large_mapped_calls = 2;
  EXPECT_NE(only(FindingKind::lazy_calloc).sentence.find("the first 2 in mappings of their own"), std::string::npos);
}

// The largest block has a mapping of its own at any threshold: what stays is what the heap holds.
TEST_F(FindingsTest, TheTrapSavesNoMoreThanTheHeapHolds) {
  Site& site = process_.sites[0];
  site.figures.calloc_bytes = site.figures.allocated_bytes = 500 * kMiB;
  site.figures.large_mapped_calls = 7;
  site.figures.large_heap_calls = 8;
  site.largest_block_bytes = 95 * kMiB;
  EXPECT_EQ(only(FindingKind::lazy_calloc).saves_bytes, 32 * kMiB) << "where glibc's threshold ends";
  row(snapshot("start"), Owner::heap_trimmable) = 10 * kMiB;
  EXPECT_EQ(only(FindingKind::lazy_calloc).saves_bytes, 10 * kMiB);
}

TEST_F(FindingsTest, ReallocsThatMoveAtEveryStepShouldGrowByAFactor) {
  Site& site = process_.sites[0];
  site.figures.calls = 1'000'000;
  site.figures.reallocs = 999'000;
  site.figures.reallocs_moved = 778'000;
  site.figures.realloc_copied_bytes = 34'000 * kMiB;
  site.figures.peak_live_bytes = 95 * kMiB;
  site.largest_block_bytes = 100'008;
  EXPECT_NE(only(FindingKind::realloc_growth).remedy.find("grow by a factor"), std::string::npos);
  process_.allocator = "glibc 2.36";
  EXPECT_TRUE(has(FindingKind::realloc_growth));
  site.figures.large_mapped_calls = 999'000;
  EXPECT_FALSE(has(FindingKind::realloc_growth)) << "the kernel moved their pages";
}

// A quarter more each time copies every byte four times, however many blocks there are: nothing to be cured.
TEST_F(FindingsTest, ReallocsThatGrowByAFactorAreNoFinding) {
  Site& site = process_.sites[0];
  site.figures.calls = 31'000;
  site.figures.reallocs = 30'000;
  site.figures.reallocs_moved = 29'588;
  site.figures.realloc_copied_bytes = 427 * kMiB;
  site.figures.peak_live_bytes = 106 * kMiB;
  site.largest_block_bytes = 111'000;
  EXPECT_FALSE(has(FindingKind::realloc_growth));
}

// Fresh memory is not resident by itself: somebody wrote the tail. Out of a heap it may be recycled.
TEST_F(FindingsTest, WhyASpareTailIsResidentHangsOnWhereItLies) {
  LedgerSnapshot& worst = snapshot("start");
  worst.beside.overallocated_bytes = 4 * kMiB;
  SiteShare& blocks = share(worst);
  blocks.live_bytes = 54 * kMiB;
  blocks.live_blocks = 1;
  blocks.overallocated_bytes = 4 * kMiB;
  process_.sites[0].figures.large_mapped_calls = 30;
  EXPECT_NE(only(FindingKind::overallocated_touched).cause.find("The program wrote the unused tails"), std::string::npos);
  process_.sites[0].figures.large_heap_calls = 3;
  EXPECT_NE(only(FindingKind::overallocated_touched).cause.find("in recycled memory"), std::string::npos);
}

}  // namespace
}  // namespace memswell::analysis
