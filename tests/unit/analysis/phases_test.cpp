#include "analysis/phases.h"

#include <gtest/gtest.h>

namespace memswell::analysis {
namespace {

constexpr Bytes kMiB = Bytes{1} << 20;

Reading reading(Nanoseconds time, Bytes rss, Bytes dirty, trace::SnapshotCause cause) {
  Reading made;
  made.time_ns = time;
  made.cause = cause;
  made.figures = SmapsFigures{};
  made.figures->rss_bytes = rss;
  made.figures->private_dirty_bytes = dirty;
  made.own.rss_bytes = kMiB;
  return made;
}

trace::PhaseBoundary boundary(Nanoseconds time, const std::string& name, Bytes peak) {
  trace::PhaseBoundary made;
  made.time = time;
  made.name = name;
  made.peak_rss_bytes = peak;
  made.peak_exact = true;
  made.own_bytes = kMiB;
  return made;
}

Window window(Bytes begin, Bytes peak, Bytes end) {
  Window made;
  made.begin_live_bytes = begin;
  made.peak_live_bytes = peak;
  made.end_live_bytes = end;
  made.calls = 1;
  return made;
}

TEST(Phases, AProcessHasAFirstPhaseCalledStart) {
  PhaseCutter cutter(5, 42);
  const auto phases = cutter.finish(9, {window(0, 10, 5)});
  ASSERT_EQ(phases.size(), 1u);
  EXPECT_EQ(phases[0].name, "start");
  EXPECT_EQ(phases[0].announced_by, 42u);
  EXPECT_EQ(phases[0].begin_ns, 5u);
  EXPECT_EQ(phases[0].end_ns, 9u);
  EXPECT_EQ(phases[0].peak_live_bytes, 10u);
}

TEST(Phases, TheReadingOfABoundaryEndsOnePhaseAndBeginsTheNext) {
  PhaseCutter cutter(0, 42);
  cutter.on(boundary(10, "load", 8 * kMiB), 43, 1);
  cutter.on(reading(11, 4 * kMiB, 3 * kMiB, trace::SnapshotCause::phase));
  const auto phases = cutter.finish(20, {window(0, 10, 5), window(5, 7, 7)});
  EXPECT_EQ(phases[0].end_rss_bytes, 4 * kMiB);
  EXPECT_EQ(phases[1].begin_rss_bytes, 4 * kMiB);
  EXPECT_EQ(phases[1].begin_private_dirty_bytes, 3 * kMiB);
  EXPECT_EQ(phases[1].announced_by, 43u);
  EXPECT_EQ(phases[1].begin_live_bytes, 5u);
  EXPECT_EQ(phases[1].end_live_bytes, 7u);
}

TEST(Phases, TheKernelsPeakComesWithoutMemswellsOwnPages) {
  PhaseCutter cutter(0, 42);
  cutter.on(boundary(10, "load", 150 * kMiB), 42, 1);
  const auto phases = cutter.finish(20, {});
  EXPECT_EQ(phases[0].peak_rss_bytes, 149 * kMiB);
  EXPECT_TRUE(phases[0].peak_rss_exact);
}

TEST(Phases, AProgramThatAnnouncesStartItselfRenamesWhatWasBefore) {
  PhaseCutter cutter(0, 42);
  cutter.on(boundary(10, "start", kMiB), 42, 1);
  const auto phases = cutter.finish(20, {});
  EXPECT_EQ(phases[0].name, "before start");
  EXPECT_EQ(phases[1].name, "start");
}

TEST(Phases, TheEndsMarkIsTheLastPhasesUnlessItRepeatsAnEarlierOne) {
  PhaseCutter cutter(0, 42);
  cutter.on(boundary(10, "quiet", 150 * kMiB), 42, 1);
  trace::Sample sample;
  sample.rss_bytes = 3 * kMiB;
  sample.own_bytes = kMiB;
  sample.peak_rss_bytes = 4 * kMiB;
  cutter.on(sample);
  trace::ProcessEnd end;
  end.peak_rss_bytes = 150 * kMiB;
  cutter.on(end);
  const auto phases = cutter.finish(20, {});
  EXPECT_EQ(phases[1].peak_rss_bytes, 3 * kMiB);
}

TEST(Phases, PeakPrivateDirtyIsTheLargestReading) {
  PhaseCutter cutter(0, 42);
  cutter.on(reading(1, 4 * kMiB, 2 * kMiB, trace::SnapshotCause::start));
  cutter.on(reading(2, 9 * kMiB, 7 * kMiB, trace::SnapshotCause::periodic));
  cutter.on(reading(3, 4 * kMiB, 2 * kMiB, trace::SnapshotCause::periodic));
  const auto phases = cutter.finish(20, {});
  EXPECT_EQ(phases[0].peak_private_dirty_bytes, 7 * kMiB);
  EXPECT_TRUE(phases[0].peak_private_dirty_sampled);
  EXPECT_EQ(phases[0].peak_rss_bytes, 9 * kMiB);
  EXPECT_FALSE(phases[0].peak_rss_exact) << "the end was not seen: only readings";
}

TEST(Phases, PeakPrivateDirtyOfAPhaseBeginsWithTheReadingAtItsBoundary) {
  PhaseCutter cutter(0, 42);
  cutter.on(reading(1, 150 * kMiB, 144 * kMiB, trace::SnapshotCause::periodic));
  cutter.on(boundary(10, "after the spike", 152 * kMiB), 42, 1);
  cutter.on(reading(10, 2 * kMiB, kMiB, trace::SnapshotCause::phase));
  const auto phases = cutter.finish(20, {});
  ASSERT_EQ(phases.size(), 2u);
  EXPECT_EQ(phases[0].peak_private_dirty_bytes, 144 * kMiB);
  EXPECT_EQ(phases[1].peak_private_dirty_bytes, kMiB) << "the last reading before belongs to the phase before";
}

TEST(Phases, TheBoundOfAnExactPeakHoldsTheKernelsOwnCounting) {
  PhaseCutter cutter(0, 42);
  cutter.on(boundary(10, "load", 150 * kMiB), 42, 1);
  const auto phases = cutter.finish(20, {}, 64 * 4096);
  EXPECT_EQ(phases[0].peak_rss_bound_bytes, 64u * 4096);
  EXPECT_EQ(phases[1].peak_rss_bound_bytes, 0u) << "a peak of readings is not bounded by it: it is a lower bound";
}

}  // namespace
}  // namespace memswell::analysis
