#include "analysis/pulses.h"

#include <gtest/gtest.h>

namespace memswell::analysis {
namespace {

constexpr Bytes kMiB = Bytes{1} << 20;

class PulsesTest : public ::testing::Test {
 protected:
  PulsesTest() {
    process_.phases.resize(2);
    process_.phases[0].end_ns = 100;
    process_.phases[0].name = "fill";
    process_.phases[1].begin_ns = 100;
    process_.phases[1].end_ns = 200;
    Site site;
    site.function = "grow";
    process_.sites.push_back(site);
  }
  void snapshot(Nanoseconds time, Bytes live, Bytes pinned) {
    LedgerSnapshot made;
    made.time_ns = time;
    for (std::size_t i = 0; i < kOwners; ++i) made.rows.push_back({static_cast<Owner>(i), 0});
    made.rows[static_cast<std::size_t>(Owner::heap_live)].bytes = live;
    made.rows[static_cast<std::size_t>(Owner::heap_pinned)].bytes = pinned;
    made.rss_bytes = live + pinned;
    process_.snapshots.push_back(made);
  }
  void level(Nanoseconds end, Bytes live) {
    Window window;
    window.end_ns = end;
    window.sites.push_back({});
    window.sites[0].live_bytes = live;
    windows_.push_back(window);
  }
  static PulseShape shape(Nanoseconds begin, Bytes low, Nanoseconds peak, Bytes high, Nanoseconds end, Bytes after) {
    return {{begin, low}, {peak, high}, {end, after}};
  }

  ProcessReport process_;
  std::vector<Window> windows_;
};

TEST_F(PulsesTest, ARiseIsTakenApartIntoRowsAndSites) {
  snapshot(10, 10 * kMiB, 0);
  snapshot(50, 100 * kMiB, 0);
  snapshot(90, 20 * kMiB, 30 * kMiB);
  level(10, 10 * kMiB);
  level(50, 90 * kMiB);
  level(90, 15 * kMiB);
  const auto pulses = explain_pulses({shape(10, 10 * kMiB, 50, 100 * kMiB, 90, 50 * kMiB)}, process_, windows_);
  ASSERT_EQ(pulses.size(), 1u);
  const Pulse& pulse = pulses[0];
  EXPECT_TRUE(pulse.exact);
  EXPECT_EQ(pulse.rise_bytes, 90 * kMiB);
  EXPECT_EQ(pulse.fall_bytes, 50 * kMiB);
  EXPECT_EQ(pulse.sentence,
            "RSS rose by 90.0 MiB to 100.0 MiB in phase \"fill\" and fell by 50.0 MiB; 40.0 MiB of it stay.");
  ASSERT_FALSE(pulse.causes.empty());
  EXPECT_EQ(pulse.causes[0].of, PulseCause::Of::rise);
  EXPECT_EQ(pulse.causes[0].owner, Owner::heap_live);
  EXPECT_EQ(pulse.causes[0].bytes, static_cast<std::int64_t>(90 * kMiB));
  EXPECT_EQ(pulse.causes[1].site, SiteIndex{0});
  EXPECT_EQ(pulse.causes[1].bytes, static_cast<std::int64_t>(80 * kMiB));
}

TEST_F(PulsesTest, WithoutSnapshotsOnlyLiveBlocksAreKnown) {
  level(10, 10 * kMiB);
  level(50, 90 * kMiB);
  const auto pulses = explain_pulses({shape(10, 10 * kMiB, 50, 100 * kMiB, 90, 50 * kMiB)}, process_, windows_);
  EXPECT_FALSE(pulses.at(0).exact);
  EXPECT_EQ(pulses[0].causes.at(0).site, SiteIndex{0});
}

TEST_F(PulsesTest, ALaterPulseIsComparedWithTheOneBefore) {
  snapshot(50, 109 * kMiB, 0);
  snapshot(150, 109 * kMiB, 42 * kMiB);
  const auto pulses = explain_pulses(
      {shape(10, 3 * kMiB, 50, 109 * kMiB, 90, 62 * kMiB), shape(90, 62 * kMiB, 150, 151 * kMiB, 190, 62 * kMiB)},
      process_, windows_);
  EXPECT_EQ(pulses.at(1).comparison,
            "Peaks 42.0 MiB above the pulse before. Of that +42.0 MiB: freed, a live block shares the page.");
  EXPECT_NE(pulses[1].sentence.find("nothing of it stays"), std::string::npos);
}

}  // namespace
}  // namespace memswell::analysis
