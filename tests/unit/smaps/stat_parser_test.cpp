#include "probes/smaps/stat_parser.h"

#include <gtest/gtest.h>

#include "tests/unit/smaps/fixture.h"

namespace memswell::smaps {
namespace {

using test::fixture;

constexpr Bytes kPage = 4096;

TEST(StatmParser, TurnsPagesIntoBytes) {
  const auto statm = parse_statm("765 410 382 5 0 123 0\n", kPage);
  ASSERT_TRUE(statm);
  EXPECT_EQ(*statm, (Statm{765 * kPage, 410 * kPage, 382 * kPage, 5 * kPage, 123 * kPage}));
}

TEST(StatmParser, RefusesEveryProperPrefix) {
  const std::string_view text = "765 410 382 5 0 123 0";
  for (std::size_t length = 0; length < text.size(); ++length) {
    ASSERT_FALSE(parse_statm(text.substr(0, length), kPage)) << length;
  }
  EXPECT_TRUE(parse_statm(text, kPage));
}

TEST(StatmParser, RefusesMoreBytesThanThereAre) {
  EXPECT_FALSE(parse_statm("18446744073709551615 1 1 1 0 1 0\n", kPage));
}

TEST(StatmParser, AZombieHasNoPages) {
  const auto statm = parse_statm(fixture("zombie.statm"), kPage);
  ASSERT_TRUE(statm);
  EXPECT_EQ(*statm, Statm{});
}

TEST(StatParser, FindsTheFieldsBehindAnOddName) {
  const auto stat = parse_stat(fixture("parentheses.stat"));
  ASSERT_TRUE(stat);
  EXPECT_EQ(stat->pid, 15907);
  EXPECT_EQ(stat->comm, "a (b) c) 1 2");
  EXPECT_EQ(stat->state, 'S');
  EXPECT_EQ(stat->ppid, 15665);
  EXPECT_EQ(stat->minor_faults, 137u);
  EXPECT_EQ(stat->threads, 1);
  EXPECT_EQ(stat->start_time_ticks, 181022u);
}

TEST(StatParser, ReadsZombiesAndKernelThreads) {
  const auto zombie = parse_stat(fixture("zombie.stat"));
  const auto thread = parse_stat(fixture("kernel_thread.stat"));
  ASSERT_TRUE(zombie && thread);
  EXPECT_EQ(zombie->state, 'Z');
  EXPECT_EQ(thread->comm, "kthreadd");
}

TEST(StatParser, KeepsANewlineInTheName) {
  const auto stat = parse_stat("7 (a\nb) R 1 7 7 0 -1 4194304 5 0 6 0 1 2 0 0 20 0 3 0 99 0\n");
  ASSERT_TRUE(stat);
  EXPECT_EQ(stat->comm, "a\nb");
  EXPECT_EQ(stat->major_faults, 6u);
  EXPECT_EQ(stat->user_ticks, 1u);
  EXPECT_EQ(stat->system_ticks, 2u);
  EXPECT_EQ(stat->start_time_ticks, 99u);
}

TEST(StatParser, RefusesAPrefixOrSaysTheSame) {
  const auto text = fixture("java.stat");
  const auto whole = parse_stat(text);
  ASSERT_TRUE(whole);
  for (std::size_t length = 0; length < text.size(); ++length) {
    const auto prefix = parse_stat(std::string_view(text).substr(0, length));
    ASSERT_TRUE(!prefix || *prefix == *whole) << length;
  }
}

TEST(StatParser, RefusesWhatIsNoStat) {
  EXPECT_FALSE(parse_stat("12 sleep S 1"));
  EXPECT_FALSE(parse_stat("12 (sleep"));
  EXPECT_FALSE(parse_stat("12 (sleep)"));
  EXPECT_FALSE(parse_stat("(sleep) S 1 2 3"));
}

}  // namespace
}  // namespace memswell::smaps
