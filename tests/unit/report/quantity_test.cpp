#include "report/quantity.h"

#include <gtest/gtest.h>

namespace memswell::report {
namespace {

TEST(Quantity, PrintsSizesAsSmapsCountsThem) {
  EXPECT_EQ(size_text(0), "0 B");
  EXPECT_EQ(size_text(1023), "1023 B");
  EXPECT_EQ(size_text(1024), "1.0 KiB");
  EXPECT_EQ(size_text(432'642'458), "412.6 MiB");
  EXPECT_EQ(size_text(Bytes{3} << 30), "3.0 GiB");
}

TEST(Quantity, NeverPrintsAThousandTwentyFourOfAUnit) { EXPECT_EQ(size_text((1 << 20) - 1), "1.0 MiB"); }

TEST(Quantity, SignsDifferences) {
  EXPECT_EQ(signed_size_text(14 << 20), "+14.0 MiB");
  EXPECT_EQ(signed_size_text(-2048), "-2.0 KiB");
  EXPECT_EQ(signed_size_text(0), "0 B");
}

TEST(Quantity, KeepsSmallPartsOfAMebibyteVisible) {
  EXPECT_EQ(mebibytes_text(432'642'458), "412.6");
  EXPECT_EQ(mebibytes_text(20'480), "0.02");
  EXPECT_EQ(mebibytes_text(1), "0.001");
  EXPECT_EQ(mebibytes_text(0), "0.0");
}

TEST(Quantity, GroupsCounts) {
  EXPECT_EQ(count_text(1'204'331), "1,204,331");
  EXPECT_EQ(count_text(999), "999");
  EXPECT_EQ(short_count_text(48'234'567), "48.2 M");
  EXPECT_EQ(short_count_text(999'999), "1.0 M");
}

TEST(Quantity, PicksTheUnitOfADuration) {
  EXPECT_EQ(duration_text(900), "900 ns");
  EXPECT_EQ(duration_text(250'000'000), "250 ms");
  EXPECT_EQ(duration_text(12'400'000'000), "12.4 s");
  EXPECT_EQ(duration_text(185'000'000'000), "3 min 05 s");
  EXPECT_EQ(duration_text(7'800'000'000'000), "2 h 10 min");
}

TEST(Quantity, HasNoPercentageOfNothing) {
  EXPECT_EQ(percent_text(73, 100), "73 %");
  EXPECT_EQ(percent_text(1, 0), "");
}

}  // namespace
}  // namespace memswell::report
