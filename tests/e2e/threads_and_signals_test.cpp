// Many threads, short threads, tiny stacks; handlers that allocate, jump away, and interrupt all the time.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/e2e/harness.h"

namespace memswell::tests {
namespace {

using ::testing::IsEmpty;

TEST(Threads, EightAtFullSpeedLoseNothing) {
  const Recorded r = record_case("threads", {"many"}, {.counted = true});
  EXPECT_EQ(site(r, "worker_site").calls, 800000U);
  EXPECT_EQ(site(r, "worker_site").live_blocks, 0U);
  EXPECT_THAT(count_differences(r), IsEmpty());
}

// One order of all threads' events, or blocks freed by another thread seem to live on.
TEST(Threads, BlocksFreedByAnotherThreadAreNotLive) {
  const Recorded r = record_case("threads", {"exchange"}, {.counted = true});
  EXPECT_EQ(site(r, "exchange_site").calls, 200000U);
  EXPECT_EQ(site(r, "exchange_site").live_blocks, 0U);
  EXPECT_THAT(count_differences(r), IsEmpty());
}

TEST(Threads, FiveThousandShortOnesAreAllSeen) {
  const Recorded r = record_case("threads", {"short"}, {.counted = true});
  EXPECT_EQ(site(r, "short_site"), (Site{15000, 15000 * 32, 0, 0}));
  EXPECT_THAT(count_differences(r), IsEmpty());
}

TEST(Threads, SmallestStacksSuffice) {
  const Recorded r = record_case("threads", {"tiny"});
  EXPECT_EQ(site(r, "tiny_stack_site"), (Site{2400, 2400 * 48, 0, 0}));
}

TEST(Signals, HandlerOnASmallAlternateStackIsRecorded) {
  EXPECT_EQ(site(record_case("signals", {"stack"}), "handler_site"), (Site{500, 60000, 500, 60000}));
}

TEST(Signals, HandlersThatJumpAwayLoseNothing) {
  EXPECT_EQ(site(record_case("signals", {"jump"}), "handler_site"), (Site{500, 60000, 500, 60000}));
}

TEST(Signals, TimerWithoutRestartChangesNoCount) {
  const Recorded r = record_case("signals", {"ticks"}, {.counted = true});
  EXPECT_EQ(site(r, "interrupted_site").calls, 200000U);
  EXPECT_EQ(site(r, "interrupted_site").live_blocks, 0U);
  EXPECT_THAT(count_differences(r), IsEmpty());
}

TEST(Signals, StoppedProgramGoesOn) {
  EXPECT_EQ(site(record_case("paused"), "after_pause_site"), (Site{800, 800 * 68, 0, 0}));
}

}  // namespace
}  // namespace memswell::tests
