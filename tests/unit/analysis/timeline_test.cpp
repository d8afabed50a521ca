#include "analysis/timeline.h"

#include <gtest/gtest.h>

namespace memswell::analysis {
namespace {

trace::Sample sample(Nanoseconds time, Bytes rss, Bytes own = 0) {
  trace::Sample made;
  made.time = time;
  made.rss_bytes = rss;
  made.own_bytes = own;
  made.size_bytes = 10 * rss;
  return made;
}

Reading reading(Nanoseconds time, Bytes rss, trace::SnapshotCause cause) {
  Reading made;
  made.time_ns = time;
  made.cause = cause;
  made.figures = SmapsFigures{};
  made.figures->rss_bytes = rss;
  made.figures->private_dirty_bytes = rss / 2;
  return made;
}

const LiveFigures kLive{100, 120, 3};

TEST(Timeline, ARowLeavesMemswellsOwnPagesOut) {
  Timeline timeline(false);
  timeline.on(sample(1, 5000, 1000), kLive);
  EXPECT_EQ(timeline.rows().at(0).rss_bytes, 4000u);
  EXPECT_EQ(timeline.rows().at(0).own_bytes, 1000u);
  EXPECT_EQ(timeline.rows().at(0).requested_bytes, 100u);
  EXPECT_EQ(timeline.rows().at(0).live_blocks, 3u);
  EXPECT_FALSE(timeline.rows().at(0).smaps);
}

TEST(Timeline, AThoroughReadingIsMarkedAsMeasured) {
  Timeline timeline(false);
  timeline.on(reading(2, 3000, trace::SnapshotCause::periodic), {}, kLive);
  ASSERT_TRUE(timeline.rows().at(0).smaps);
  EXPECT_EQ(timeline.rows()[0].smaps->private_dirty_bytes, 1500u);
}

TEST(Timeline, TheReadingThatAMarkAskedForFillsItsRow) {
  Timeline timeline(false);
  timeline.on(sample(1, 5000), kLive);
  timeline.value(2, "string", 1000, kLive);
  timeline.on(sample(3, 5000), kLive);
  timeline.on(reading(4, 6000, trace::SnapshotCause::mark), {}, kLive);
  ASSERT_EQ(timeline.rows().size(), 3u);
  const TimelineRow& row = timeline.rows()[1];
  EXPECT_EQ(row.time_ns, 2u);
  EXPECT_EQ(row.rss_bytes, 6000u);
  EXPECT_TRUE(row.smaps);
  EXPECT_EQ(row.values.at(0).name, "string");
  EXPECT_EQ(row.values.at(0).value, 1000);
}

TEST(Timeline, AMarkWithoutAReadingGoesOnWithTheLastFootprint) {
  Timeline timeline(false);
  timeline.on(sample(1, 5000), kLive);
  timeline.mark(2, "load", kLive);
  timeline.mark(3, "save", kLive);
  ASSERT_EQ(timeline.rows().size(), 3u);
  EXPECT_EQ(timeline.rows()[1].mark, "load");
  EXPECT_EQ(timeline.rows()[2].mark, "save");
  EXPECT_EQ(timeline.rows()[2].rss_bytes, 5000u);
}

TEST(Timeline, APhaseAndAValueOfOneMomentShareARow) {
  Timeline timeline(false);
  timeline.mark(2, "load", kLive);
  timeline.value(2, "rows", 5, kLive);
  ASSERT_EQ(timeline.rows().size(), 1u);
  EXPECT_EQ(timeline.rows()[0].mark, "load");
  EXPECT_EQ(timeline.rows()[0].values.size(), 1u);
}

}  // namespace
}  // namespace memswell::analysis
