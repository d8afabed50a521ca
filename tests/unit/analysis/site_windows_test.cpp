#include "analysis/site_windows.h"

#include <gtest/gtest.h>

namespace memswell::analysis {
namespace {

constexpr SiteIndex kA{1}, kB{2};

BlockShare whole(Bytes bytes) { return {.blocks = 1, .requested = bytes}; }

TEST(SiteWindows, KnowsEachSitesPartInTheWindowsPeak) {
  SiteWindows windows(0, 0);
  windows.allocated(kA, whole(100), 100, 1, 100);
  windows.allocated(kB, whole(50), 50, 2, 150);  // the peak
  windows.freed(kA, whole(100), 50);
  windows.allocated(kB, whole(20), 20, 3, 70);
  windows.cut(10);
  const Window& window = windows.windows().at(0);
  EXPECT_EQ(window.peak_live_bytes, 150u);
  EXPECT_EQ(window.peak_live_ns, 2u);
  EXPECT_EQ(window.end_live_bytes, 70u);
  ASSERT_EQ(window.sites.size(), 2u);
  EXPECT_EQ(window.sites[0].live_at_peak_bytes, 100u);
  EXPECT_EQ(window.sites[1].live_at_peak_bytes, 50u);
  EXPECT_EQ(window.sites[1].live_bytes, 70u);
}

TEST(SiteWindows, ANewWindowBeginsWithWhatIsLive) {
  SiteWindows windows(0, 0);
  windows.allocated(kA, whole(100), 100, 1, 100);
  windows.cut(10);
  windows.freed(kA, whole(60), 40);
  windows.cut(20);
  const Window& second = windows.windows().at(1);
  EXPECT_EQ(second.begin_live_bytes, 100u);
  EXPECT_EQ(second.peak_live_bytes, 100u);
  EXPECT_EQ(second.sites.at(0).live_at_peak_bytes, 100u);
  EXPECT_EQ(second.sites.at(0).live_bytes, 40u);
  EXPECT_EQ(second.sites.at(0).calls, 0u);
  EXPECT_EQ(second.sites.at(0).freed_bytes, 60u);
}

TEST(SiteWindows, AQuietSiteIsNotListed) {
  SiteWindows windows(0, 0);
  windows.allocated(kA, whole(100), 100, 1, 100);
  windows.cut(10);
  windows.cut(20);
  EXPECT_TRUE(windows.windows().at(1).sites.empty());
  EXPECT_EQ(windows.peak_live_bytes(kA), 100u);
}

TEST(SiteWindows, AFailedReallocLeavesNoTrace) {
  SiteWindows windows(0, 0);
  windows.allocated(kA, whole(100), 100, 1, 100);
  windows.freed(kA, whole(100), 0);
  windows.restored(kA, whole(100), 2, 100);
  windows.cut(10);
  EXPECT_EQ(windows.windows().at(0).sites.at(0).frees, 0u);
  EXPECT_EQ(windows.windows().at(0).sites.at(0).live_bytes, 100u);
}

}  // namespace
}  // namespace memswell::analysis
