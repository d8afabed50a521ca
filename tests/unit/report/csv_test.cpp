#include "report/csv.h"

#include <gtest/gtest.h>

namespace memswell::report {
namespace {

TEST(Csv, QuotesCommasAndQuotes) { EXPECT_EQ(csv_text("std::map<int, \"x\">"), "\"std::map<int, \"\"x\"\">\""); }

TEST(Csv, KeepsALineFeedInANameOnOneLine) { EXPECT_EQ(csv_text("a\nb"), "a\\nb"); }

TEST(Csv, DisarmsWhatASpreadsheetWouldRun) {
  EXPECT_EQ(csv_text("=cmd|' /C calc'!A0"), "'=cmd|' /C calc'!A0");
  EXPECT_EQ(csv_text("@SUM(A1)"), "'@SUM(A1)");
}

TEST(Csv, JoinsCells) { EXPECT_EQ(csv_line({"1", "", "a"}), "1,,a\n"); }

}  // namespace
}  // namespace memswell::report
