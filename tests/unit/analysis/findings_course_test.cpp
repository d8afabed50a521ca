// What findings say beyond one moment: whether it stays, what belongs together, what is not worth a word.
#include "tests/unit/analysis/findings_by_hand.h"

namespace memswell::analysis {
namespace {

using test::FindingsTest;
using test::kMiB;

TEST_F(FindingsTest, SeveralKindsOfMemoryBesideTheHeapAreOneFinding) {
  LedgerSnapshot& peak = snapshot("start");
  peak.rss_bytes = 90 * kMiB;
  row(peak, Owner::heap_live) = 30 * kMiB;
  row(peak, Owner::files) = row(peak, Owner::shared) = row(peak, Owner::mapped) = 20 * kMiB;
  peak.files.push_back({"/data/big", 20 * kMiB, 0});
  share(peak).mapped_bytes = 20 * kMiB;
  const Finding finding = only(FindingKind::outside_heap);
  EXPECT_EQ(finding.bytes, 60 * kMiB);
  EXPECT_NE(finding.sentence.find("60.0 MiB of 90.0 MiB RSS"), std::string::npos);
  EXPECT_NE(finding.sentence.find("outside of the heap, which takes 30.0 MiB: 20.0 MiB mapped"), std::string::npos);
  EXPECT_FALSE(has(FindingKind::mapped_memory)) << "said already";
}

TEST_F(FindingsTest, PagesOfTheProgramAndItsLibrariesAreNotNotable) {
  process_.totals.peak_rss_bytes = 12 * kMiB;
  LedgerSnapshot& peak = snapshot("start");
  row(peak, Owner::files) = 9 * kMiB;
  peak.files.push_back({"/usr/lib/libpython3.11.so.1.0", 8 * kMiB, 0});
  peak.files.push_back({"/usr/bin/prog", kMiB, 0});
  EXPECT_TRUE(all().empty());
}

TEST_F(FindingsTest, AFindingTellsWhetherWhatItIsAboutStays) {
  phase("freed", 10, 20);
  phase("trimmed", 20, 30);
  LedgerSnapshot& after = snapshot("freed");
  after.cause = trace::SnapshotCause::phase;
  row(after, Owner::heap_trimmable) = 90 * kMiB;
  LedgerSnapshot& trimmed = snapshot("trimmed");
  trimmed.cause = trace::SnapshotCause::phase;
  EXPECT_NE(only(FindingKind::trimmable).cause.find("Then 0 B in phase \"trimmed\"."), std::string::npos);
  row(process_.snapshots[1], Owner::heap_trimmable) = 90 * kMiB;
  EXPECT_NE(only(FindingKind::trimmable).cause.find("It stays so to the end."), std::string::npos);
}

TEST_F(FindingsTest, SmallFreedBlocksAreTheCauseOnlyWhereThereAreAny) {
  LedgerSnapshot& after = snapshot("start");
  row(after, Owner::heap_trimmable) = after.top_bytes = 40 * kMiB;
  after.time_ns = 20;
  Window& filled = window(0, 10);
  filled.sites.push_back({});
  filled.sites[0].live_bytes = 40 * kMiB;
  window(10, 20).sites.push_back({});
  StackFigures path;
  path.figures.calls = path.figures.frees = 1000;
  path.figures.allocated_bytes = 1000 * 96;
  process_.stacks.push_back(path);
  process_.site_of_stack.push_back(SiteIndex{0});
  EXPECT_NE(only(FindingKind::trimmable).cause.find("here of 96 on average"), std::string::npos);
  process_.stacks[0].figures.allocated_bytes = 1000 * 5000;
  EXPECT_EQ(only(FindingKind::trimmable).certainty, Certainty::inference);
}

TEST_F(FindingsTest, APeakThatWasNeverTouchedIsNoFinding) {
  process_.totals.peak_rss_bytes = 3 * kMiB;
  process_.phases[0].begin_rss_bytes = 3 * kMiB;
  Window& reserved = window(0, 10);
  reserved.peak_live_bytes = 1000 * kMiB;
  reserved.sites.push_back({});
  reserved.sites[0].live_at_peak_bytes = 1000 * kMiB;
  window(10, 20);
  EXPECT_FALSE(has(FindingKind::transient_peak));
}

}  // namespace
}  // namespace memswell::analysis
