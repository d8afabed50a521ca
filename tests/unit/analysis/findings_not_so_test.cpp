// What looks like one kind of memory and is another: the finding must not say the first.
#include "tests/unit/analysis/findings_by_hand.h"

namespace memswell::analysis {
namespace {

using test::FindingsTest;
using test::kMiB;

TEST_F(FindingsTest, GapsThatNothingWasFreedFromComeFromAlignment) {
  window(0, 10).allocated_bytes = 4 * kMiB;
  LedgerSnapshot& after = snapshot("start");
  after.time_ns = 10;
  after.heap_exact = true;
  after.live_bytes = 3 * kMiB;
  after.live_blocks = 3000;
  row(after, Owner::heap_pinned) = 9 * kMiB;
  SiteShare& aligned = share(after);
  aligned.pinned_bytes = 9 * kMiB;
  aligned.live_blocks = 3000;
  EXPECT_NE(only(FindingKind::pinned).cause.find("alignment"), std::string::npos);
  windows_[0].allocated_bytes = 13 * kMiB;
  EXPECT_NE(only(FindingKind::pinned).cause.find("live short"), std::string::npos);
}

// A queue: filled in one phase, drained in the phase between two of the same name.
TEST_F(FindingsTest, BlocksThatGoBetweenTwoPassesAreNoFreeList) {
  process_.sites[0].figures.allocated_bytes = 30 * kMiB;
  process_.phases.clear();
  phase("drained-1", 0, 10).allocated_bytes = 30 * kMiB;
  phase("backlog-2", 10, 20);
  phase("drained-2", 20, 30);
  Window& filled = window(0, 10);
  filled.sites.push_back({});
  filled.sites[0].calls = 30000;
  filled.sites[0].allocated_bytes = filled.sites[0].live_bytes = 30 * kMiB;
  Window& drained = window(10, 20);
  drained.sites.push_back({});
  drained.sites[0].frees = 30000;
  window(20, 30);
  EXPECT_FALSE(has(FindingKind::free_list));
}

}  // namespace
}  // namespace memswell::analysis
