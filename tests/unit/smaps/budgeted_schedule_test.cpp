#include "probes/smaps/budgeted_schedule.h"

#include <gtest/gtest.h>

namespace memswell::smaps {
namespace {

constexpr Nanoseconds kMillisecond = 1'000'000;

TEST(BudgetedSchedule, TheFirstReadingIsDueAtOnce) { EXPECT_TRUE(BudgetedSchedule(0.01, 20 * kMillisecond).is_due(0)); }

TEST(BudgetedSchedule, AReadingKeepsTheNextAwayForItsCostOverTheShare) {
  BudgetedSchedule schedule(0.01, 20 * kMillisecond);
  schedule.record(1000 * kMillisecond, 5 * kMillisecond);
  EXPECT_FALSE(schedule.is_due(1499 * kMillisecond));
  EXPECT_TRUE(schedule.is_due(1500 * kMillisecond));
}

TEST(BudgetedSchedule, CheapReadingsKeepTheShortestInterval) {
  BudgetedSchedule schedule(0.01, 20 * kMillisecond);
  schedule.record(0, 1000);
  EXPECT_EQ(schedule.due(), 20 * kMillisecond);
}

TEST(BudgetedSchedule, ReadingsOutOfTurnArePaidToo) {
  BudgetedSchedule schedule(0.01, 0);
  schedule.record(0, kMillisecond);
  schedule.record(10 * kMillisecond, kMillisecond);
  schedule.record(20 * kMillisecond, kMillisecond);
  EXPECT_EQ(schedule.due(), 300 * kMillisecond);
}

TEST(BudgetedSchedule, AnIdleTimeIsNotSavedUp) {
  BudgetedSchedule schedule(0.01, 0);
  schedule.record(0, kMillisecond);
  schedule.record(10'000 * kMillisecond, kMillisecond);
  EXPECT_EQ(schedule.due(), 10'100 * kMillisecond);
}

TEST(BudgetedSchedule, ALongRunStaysWithinTheShare) {
  BudgetedSchedule schedule(0.01, kMillisecond);
  for (Nanoseconds now = 0; now < 10'000 * kMillisecond; now += kMillisecond) {
    if (schedule.is_due(now)) schedule.record(now, (now / kMillisecond % 7 + 1) * kMillisecond);
  }
  EXPECT_LE(schedule.spent(), 110 * kMillisecond);
  EXPECT_GE(schedule.spent(), 90 * kMillisecond);
}

}  // namespace
}  // namespace memswell::smaps
