#include "report/comparison.h"

#include <gtest/gtest.h>

namespace memswell::report {
namespace {

analysis::RunReport run_with(std::uint64_t calls, Bytes peak_rss, std::string function, Bytes live) {
  analysis::RunReport run;
  run.command = {"prog"};
  run.kernel = "6.1";
  analysis::ProcessReport& process = run.processes.emplace_back();
  process.totals.figures.calls = calls;
  process.totals.peak_rss_bytes = peak_rss;
  analysis::Site& site = process.sites.emplace_back();
  site.function = std::move(function);
  site.figures.live_at_peak_bytes = live;
  return run;
}

TEST(Comparison, RunsWithOneLabelAreRepetitions) {
  const auto a = run_with(10, 100, "f", 5), b = run_with(20, 100, "f", 5), c = run_with(30, 100, "f", 5);
  const std::vector<ComparedRun> runs{{"old", &a}, {"old", &b}, {"old", &c}, {"new", &c}};
  EXPECT_EQ(columns_of(runs), (std::vector<std::string>{"old", "new"}));
  const auto rows = comparison_rows(runs);
  const auto calls = std::find_if(rows.begin(), rows.end(), [](const BenchRow& row) { return row.name == "calls"; });
  ASSERT_NE(calls, rows.end());
  EXPECT_EQ(calls->values[0], 20u);
  EXPECT_EQ(calls->ranges[0].high, 30u);
  EXPECT_EQ(calls->values[1], 30u);
}

TEST(Comparison, ListsTheSitesThatChangedMost) {
  const auto before = run_with(1, 100, "unchanged", 5000), after = run_with(1, 100, "grown", 7 << 20);
  const std::string text = comparison({{"before", &before}, {"after", &after}}, Terminal{});
  EXPECT_NE(text.find("grown"), std::string::npos) << text;
  EXPECT_LT(text.find("grown"), text.find("unchanged")) << text;
}

TEST(Comparison, ASiteWhoseSpreadCoversTheDifferenceHasNotChanged) {
  const auto a = run_with(1, 100, "noisy", 1 << 20), b = run_with(1, 100, "noisy", 9 << 20), c = run_with(1, 100, "noisy", 5 << 20);
  const std::string text = comparison({{"old", &a}, {"old", &b}, {"new", &c}}, Terminal{});
  EXPECT_EQ(text.find("noisy"), std::string::npos) << text;
}

TEST(Comparison, SaysWhatIsCommon) {
  const auto a = run_with(1, 100, "f", 1), b = run_with(1, 100, "f", 1);
  const std::string text = comparison({{"a", &a}, {"b", &b}}, Terminal{});
  EXPECT_NE(text.find("kernel: 6.1"), std::string::npos);
  EXPECT_EQ(text.find("Differs"), std::string::npos);
}

TEST(Comparison, JsonHasMediansOfColumns) {
  const auto a = run_with(10, 100, "f", 5), b = run_with(30, 100, "f", 5);
  const std::string json = comparison_json({{"x", &a}, {"x", &b}});
  EXPECT_NE(json.find("\"median\": 10"), std::string::npos) << json;
  EXPECT_NE(json.find("\"high\": 30"), std::string::npos) << json;
}

}  // namespace
}  // namespace memswell::report
