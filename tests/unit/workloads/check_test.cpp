#include "workloads/check.h"

#include <gtest/gtest.h>

#include "workloads/expect.h"

namespace memswell::workloads {
namespace {

using namespace expect;

constexpr Machine kPlain{.glibc = true, .small_pages = true, .huge_pages_forced = false, .huge_pages_offered = true,
                         .swap = false, .zero_page = true};

Truth truth_of(std::int64_t base, std::int64_t after) {
  Truth truth;
  truth.totals["calls"] = 3;
  truth.phases = {{"base", {{"rss_bytes", base}}}, {"after", {{"rss_bytes", after}}}};
  return truth;
}

Verdict verdict(const Expectation& expected, const Truth& truth, const Machine& machine = kPlain) {
  const Variant variant{"", "", "", {&expected, 1}};
  return check(variant, truth, machine).at(0).verdict;
}

TEST(Check, ToleranceIsInclusive) {
  EXPECT_EQ(verdict(about("after", kRss, 100, 10), truth_of(0, 110)), Verdict::holds);
  EXPECT_EQ(verdict(about("after", kRss, 100, 10), truth_of(0, 111)), Verdict::fails);
  EXPECT_EQ(verdict(about("after", kRss, 100, 10), truth_of(0, 89)), Verdict::fails);
}

TEST(Check, BoundsAndCounts) {
  EXPECT_EQ(verdict(at_most("after", kRss, 100), truth_of(0, 101)), Verdict::fails);
  EXPECT_EQ(verdict(at_least("after", kRss, 100), truth_of(0, 100)), Verdict::holds);
  EXPECT_EQ(verdict(exactly("", "calls", 3), truth_of(0, 0)), Verdict::holds);
  EXPECT_EQ(verdict(exactly("", "calls", 4), truth_of(0, 0)), Verdict::fails);
}

TEST(Check, GrowthIsSinceTheBasePhase) {
  EXPECT_EQ(verdict(grew("after", kRss, 50, 0), truth_of(100, 150)), Verdict::holds);
  EXPECT_EQ(verdict(grew("after", kRss, 150, 0), truth_of(100, 150)), Verdict::fails);
}

TEST(Check, AFigureThatIsMissingFails) {
  EXPECT_EQ(verdict(at_most("later", kRss, 100), truth_of(0, 0)), Verdict::fails);
  EXPECT_EQ(verdict(at_most("after", "no_such", 100), truth_of(0, 0)), Verdict::fails);
}

TEST(Check, PagesDependOnTheMachineCountsDoNot) {
  Machine forced = kPlain;
  forced.huge_pages_forced = true;
  EXPECT_EQ(verdict(at_most("after", kRss, 1), truth_of(0, 2), forced), Verdict::not_applicable);
  EXPECT_EQ(verdict(exactly("", "calls", 4), truth_of(0, 0), forced), Verdict::fails);
}

TEST(Check, NeedsOfTheKernelAreAsked) {
  Machine without = kPlain;
  without.zero_page = false;
  const Expectation lazy = grew_at_most("after", kRss, 10, Needs::zero_page);
  const Expectation costly = grew("after", kRss, 50, 0, Needs::no_zero_page);
  EXPECT_EQ(verdict(lazy, truth_of(0, 50), without), Verdict::not_applicable);
  EXPECT_EQ(verdict(costly, truth_of(0, 50), without), Verdict::holds);
  EXPECT_EQ(verdict(lazy, truth_of(0, 50)), Verdict::fails);
  EXPECT_EQ(verdict(costly, truth_of(0, 50)), Verdict::not_applicable);
}

TEST(Check, SaysWhatWasMeasured) {
  const Expectation expected = grew("after", kRss, 50, 5);
  const auto checked = check(Variant{"", "", "", {&expected, 1}}, truth_of(100, 153), kPlain);
  EXPECT_EQ(sentence(checked.at(0)), "after rss_bytes since base about 50 ± 5, measured 53: holds");
}

}  // namespace
}  // namespace memswell::workloads
