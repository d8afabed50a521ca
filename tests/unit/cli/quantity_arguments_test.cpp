#include "cli/quantity_arguments.h"

#include <gtest/gtest.h>

namespace memswell::cli {
namespace {

TEST(SizeArgument, CountsDecimalUnitsInThousands) { EXPECT_EQ(*parse_size("200MB"), 200'000'000u); }

TEST(SizeArgument, CountsBinaryAndBareUnitsIn1024) {
  EXPECT_EQ(*parse_size("200MiB"), Bytes{200} << 20);
  EXPECT_EQ(*parse_size("64K"), Bytes{64} << 10);
  EXPECT_EQ(*parse_size("1.5GiB"), Bytes{3} << 29);
}

TEST(SizeArgument, TakesPlainBytes) { EXPECT_EQ(*parse_size("4096"), 4096u); }

TEST(SizeArgument, RefusesWhatIsNoSize) {
  EXPECT_FALSE(parse_size(""));
  EXPECT_FALSE(parse_size("MB"));
  EXPECT_FALSE(parse_size("-1MB"));
  EXPECT_FALSE(parse_size("10 MB"));
  EXPECT_FALSE(parse_size("10MBB"));
  EXPECT_FALSE(parse_size("nan"));
  EXPECT_FALSE(parse_size("99999999TiB"));
  EXPECT_EQ(parse_size("x").error().exit_code, ExitCode::usage);
}

TEST(DurationArgument, TakesEveryUnit) {
  EXPECT_EQ(*parse_duration("100us"), 100'000u);
  EXPECT_EQ(*parse_duration("20ms"), 20'000'000u);
  EXPECT_EQ(*parse_duration("1.5s"), 1'500'000'000u);
  EXPECT_EQ(*parse_duration("2min"), 120'000'000'000u);
}

TEST(DurationArgument, WantsAUnit) { EXPECT_FALSE(parse_duration("20")); }

}  // namespace
}  // namespace memswell::cli
