#include "report/bench_table.h"

#include <gtest/gtest.h>

namespace memswell::report {
namespace {

using Values = std::vector<std::optional<std::uint64_t>>;

std::string table_of(const BenchRow& row, bool total = false) {
  return bench_table({"", {"before", "after"}, {row}, total}, Terminal{});
}

BenchRow repeated(const Values& before, const Values& after) {
  return row_of_runs("calls", BenchUnit::count, {before, after});
}

TEST(BenchTable, TheFirstColumnIsTheReference) {
  EXPECT_NE(table_of({"calls", BenchUnit::count, {100, 100}, {}}).find("100 (*)"), std::string::npos);
}

TEST(BenchTable, PercentagesBeginAtFive) {
  EXPECT_EQ(difference_text(104, 100), "");
  EXPECT_EQ(difference_text(105, 100), "+5 %");
  EXPECT_EQ(difference_text(73, 100), "-27 %");
  EXPECT_EQ(difference_text(320, 100), "x3.2");
  EXPECT_EQ(difference_text(1, 0), "+");
  EXPECT_EQ(difference_text(0, 100), "-100 %");
  EXPECT_EQ(difference_text(1, 1'000'000), "-99.9 %");
  EXPECT_EQ(difference_text(6'185'517, 1), "x6.2 M");
}

TEST(BenchTable, DurationsHaveThreeFigures) {
  const std::string text = table_of({"time", BenchUnit::nanoseconds, {1'234'567, 45'600'000'000}, {}});
  EXPECT_NE(text.find("1.23 ms (*)"), std::string::npos) << text;
  EXPECT_NE(text.find("45.6 s"), std::string::npos) << text;
}

TEST(BenchTable, WhatWasNotMeasuredIsADash) {
  EXPECT_NE(table_of({"calls", BenchUnit::count, {100, std::nullopt}, {}}).find("-"), std::string::npos);
}

TEST(BenchTable, TheTotalIsTheSumOfTheRows) {
  const BenchTable table{"", {"a", "b"}, {{"x", BenchUnit::count, {10, 1}, {}}, {"y", BenchUnit::count, {20, 2}, {}}}, true};
  const std::string text = bench_table(table, Terminal{});
  EXPECT_NE(text.find("Total"), std::string::npos);
  EXPECT_NE(text.find("30 (*)"), std::string::npos);
  EXPECT_NE(text.find("3 (-90 %)"), std::string::npos);
}

TEST(BenchTable, ATotalWithAGapIsNotMeasured) {
  const BenchTable table{
      "", {"a", "b"}, {{"x", BenchUnit::count, {10, std::nullopt}, {}}, {"y", BenchUnit::count, {20, 2}, {}}}, true};
  const std::string text = bench_table(table, Terminal{});
  EXPECT_EQ(text.substr(text.find("Total")).find('2'), std::string::npos);
}

TEST(RowOfRuns, TakesTheMedianAndTheRange) {
  const BenchRow row = repeated({30, 10, 20}, {7, 7, 7});
  EXPECT_EQ(row.values, (Values{20, 7}));
  ASSERT_EQ(row.ranges.size(), 2u);
  EXPECT_EQ(row.ranges[0].low, 10u);
  EXPECT_EQ(row.ranges[0].high, 30u);
}

TEST(RowOfRuns, AnEvenNumberTakesTheMeanOfTheMiddle) {
  EXPECT_EQ(repeated({40, 10, 30, 20}, {1}).values[0], 25u);
  EXPECT_EQ(repeated({200, 100}, {1}).values[0], 150u);
}

// Two runs are as far from their middle, one above and one below.
TEST(BenchTable, TheSpreadIsTheFarthestRun) {
  EXPECT_NE(table_of(repeated({200, 100}, {7, 7})).find("150 ±33 % (*)"), std::string::npos);
  EXPECT_NE(table_of(repeated({100, 90, 130}, {7, 7, 7})).find("100 ±30 % (*)"), std::string::npos);
}

TEST(RowOfRuns, OneRunAColumnHasNoRange) { EXPECT_TRUE(repeated({30}, {7}).ranges.empty()); }

TEST(RowOfRuns, ARunWithoutAValueLeavesTheColumnEmpty) {
  EXPECT_EQ(repeated({30, std::nullopt}, {7, 7}).values[0], std::nullopt);
}

TEST(BenchTable, SaysNoDifferenceWhereTheSpreadCoversIt) {
  const std::string text = table_of(repeated({100, 90, 130}, {120, 125, 128}));
  EXPECT_NE(text.find("no difference"), std::string::npos) << text;
  EXPECT_NE(text.find("100 ±30 % (*)"), std::string::npos) << text;
}

TEST(BenchTable, SaysThePercentageWhereTheSpreadDoesNotCoverIt) {
  const std::string text = table_of(repeated({100, 99, 101}, {150, 149, 151}));
  EXPECT_NE(text.find("150 ±<1 % (+50 %)"), std::string::npos) << text;
}

TEST(BenchTable, VariantsBecomeRowsWhenTheyDoNotFit) {
  BenchTable table{"", {}, {{"first measure", BenchUnit::count, {}, {}}, {"second measure", BenchUnit::count, {}, {}}}, false};
  for (std::uint64_t i = 1; i <= 6; ++i) {
    table.columns.push_back("variant-" + std::to_string(i));
    for (BenchRow& row : table.rows) row.values.push_back(i * 1'000'000'000);
  }
  const std::string text = bench_table(table, Terminal{.width = 60});
  EXPECT_NE(text.find("\nvariant-6 "), std::string::npos) << text;
  EXPECT_LT(text.find("first measure"), text.find("variant-1")) << text;
}

TEST(BenchTable, TakesSeveralBlocksIfItMust) {
  BenchTable table{"", {"a", "b"}, {}, false};
  for (int i = 0; i < 9; ++i) table.rows.push_back({"measure number " + std::to_string(i), BenchUnit::count, {1, 2}, {}});
  table.columns = {"a variant with a rather long name", "another variant with a rather long name"};
  const std::string text = bench_table(table, Terminal{.width = 60});
  EXPECT_NE(text.find("\n\n"), std::string::npos) << text;
  EXPECT_NE(text.find("measure number 8"), std::string::npos) << text;
}

TEST(CommonAndDifferent, PartsTheFacts) {
  const std::string text = common_and_different({"a", "b"}, {{{"kernel", "6.1"}, {"allocator", "glibc"}},
                                                             {{"kernel", "6.1"}, {"allocator", "jemalloc"}}}, Terminal{});
  EXPECT_EQ(text, "Common:  kernel: 6.1\nDiffers:  allocator\n    a: glibc\n    b: jemalloc\n");
}

}  // namespace
}  // namespace memswell::report
