#include "report/error_bars.h"

#include <gtest/gtest.h>

namespace memswell::report {
namespace {

TEST(ErrorBars, AnExactFigureHasNone) {
  EXPECT_EQ(error_text(100, 0), "");
  EXPECT_EQ(standard_error_of(0), 0u);
}

TEST(ErrorBars, AreOneStandardErrorInPercent) {
  EXPECT_EQ(error_text(1000, 70.0 * 70.0), " ±7 %");
  EXPECT_EQ(standard_error_of(70.4 * 70.4), 70u);
}

TEST(ErrorBars, NeverSayNoneWhereThereIsSome) { EXPECT_EQ(error_text(100'000, 9.0), " ±<1 %"); }

TEST(ErrorBars, OfNothingNothingIsSaid) { EXPECT_EQ(error_text(0, 9.0), ""); }

}  // namespace
}  // namespace memswell::report
