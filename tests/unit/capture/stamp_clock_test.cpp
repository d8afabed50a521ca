#include "capture/stamp_clock.h"

#include <gtest/gtest.h>

#include <cmath>

namespace memswell::capture {
namespace {

TEST(StampClock, AgreesWithTheMonotonicClockWithinAMicrosecondPerMillisecond) {
  if (choose_stamp_source() != format::StampSource::tsc) GTEST_SKIP() << "no usable TSC on this machine";
  const std::atomic<std::uint64_t> counter{0};
  const StampClock clock(format::StampSource::tsc, counter);
  const Nanoseconds before = clock.now();
  const Nanoseconds converted = clock.time_of(clock.window_end());
  const Nanoseconds after = clock.now();
  // The margin of 2000 cycles, and the error of a line drawn over one millisecond.
  EXPECT_GE(converted + 5'000, before);
  EXPECT_LE(converted, after + 5'000);
}

TEST(StampClock, NeverGoesBelowZero) {
  const std::atomic<std::uint64_t> counter{1};
  const StampClock clock(format::StampSource::counter, counter);
  EXPECT_LE(clock.time_of(0), clock.now());  // below zero would be far above
}

TEST(StampClock, EndsTheWindowOfCounterStampsAtTheCounter) {
  const std::atomic<std::uint64_t> counter{4711};
  const StampClock clock(format::StampSource::counter, counter);
  EXPECT_EQ(clock.window_end(), 4711u);
}

TEST(StampClock, PutsCounterStampsBetweenTheRoundsThatTheyFellInto) {
  std::atomic<std::uint64_t> counter{1};
  StampClock clock(format::StampSource::counter, counter);
  const Nanoseconds before = clock.now();
  counter.store(1001);
  clock.refresh();
  const Nanoseconds after = clock.now();
  const Nanoseconds middle = clock.time_of(501);
  EXPECT_LE(middle, after);
  EXPECT_LE(clock.time_of(1), middle);
  EXPECT_LE(middle, clock.time_of(1001));
  EXPECT_GE(clock.time_of(1001), before);
}

TEST(StampClock, FindsNoCpuBehindAnotherWhereTheKernelTrustsTheTsc) {
  if (choose_stamp_source() != format::StampSource::tsc) GTEST_SKIP() << "no usable TSC on this machine";
  EXPECT_FALSE(tsc_goes_backwards(1'000'000));
}

}  // namespace
}  // namespace memswell::capture
