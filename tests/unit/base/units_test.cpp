#include "base/units.h"

#include <gtest/gtest.h>

#include <limits>

namespace memswell {
namespace {

TEST(Units, BytesHaveOneDecimalAndBinaryUnits) {
  EXPECT_EQ(format_bytes(0), "0 B");
  EXPECT_EQ(format_bytes(1023), "1023 B");
  EXPECT_EQ(format_bytes(1024), "1.0 KiB");
  EXPECT_EQ(format_bytes(432'643'891), "412.6 MiB");
  EXPECT_EQ(format_bytes(Bytes{8} << 30), "8.0 GiB");
  EXPECT_EQ(format_bytes(std::numeric_limits<Bytes>::max()), "16.0 EiB");
}

TEST(Units, RoundingNeverPrints1024OfAUnit) {
  EXPECT_EQ(format_bytes((Bytes{1} << 20) - 1), "1.0 MiB");
  EXPECT_EQ(format_bytes((Bytes{1} << 30) - 1), "1.0 GiB");
  EXPECT_EQ(format_short_count(999'999), "1.0 M");
}

TEST(Units, SignedBytesAlwaysHaveASign) {
  EXPECT_EQ(format_signed_bytes(0), "+0 B");
  EXPECT_EQ(format_signed_bytes(14 << 20), "+14.0 MiB");
  EXPECT_EQ(format_signed_bytes(-512), "-512 B");
  EXPECT_EQ(format_signed_bytes(std::numeric_limits<std::int64_t>::min()), "-8.0 EiB");
}

TEST(Units, MebibytesForColumns) {
  EXPECT_EQ(format_mib(316'040'806), "301.4");
  EXPECT_EQ(format_mib(Bytes{1} << 40), "1,048,576.0");
}

TEST(Units, DurationsUseTheUnitAPersonWould) {
  EXPECT_EQ(format_duration(40), "40 ns");
  EXPECT_EQ(format_duration(12'300), "12 µs");
  EXPECT_EQ(format_duration(999'600), "1 ms");
  EXPECT_EQ(format_duration(85'000'000), "85 ms");
  EXPECT_EQ(format_duration(999'600'000), "1.0 s");
  EXPECT_EQ(format_duration(12'400'000'000), "12.4 s");
  EXPECT_EQ(format_duration(185'000'000'000), "3 min 05 s");
  EXPECT_EQ(format_duration(7'620'000'000'000), "2 h 07 min");
}

TEST(Units, CountsAreSeparatedOrShortened) {
  EXPECT_EQ(format_count(0), "0");
  EXPECT_EQ(format_count(999), "999");
  EXPECT_EQ(format_count(1000), "1,000");
  EXPECT_EQ(format_count(1'204'331), "1,204,331");
  EXPECT_EQ(format_short_count(999), "999");
  EXPECT_EQ(format_short_count(48'230'000), "48.2 M");
}

TEST(Units, PercentSaysWhenSomethingIsSmallButThere) {
  EXPECT_EQ(format_percent(73, 100), "73 %");
  EXPECT_EQ(format_percent(1, 10'000), "<1 %");
  EXPECT_EQ(format_percent(0, 10'000), "0 %");
  EXPECT_EQ(format_percent(5, 0), "0 %");
}

TEST(Units, ParsesSizes) {
  EXPECT_EQ(*parse_bytes("4096"), 4096u);
  EXPECT_EQ(*parse_bytes("200MB"), 200u << 20);
  EXPECT_EQ(*parse_bytes(" 64 KiB "), 64u << 10);
  EXPECT_EQ(*parse_bytes("1.5g"), 3u << 29);
}

TEST(Units, ParsesDurations) {
  EXPECT_EQ(*parse_duration("20ms"), 20'000'000u);
  EXPECT_EQ(*parse_duration("1.5s"), 1'500'000'000u);
  EXPECT_FALSE(parse_duration("1.5")) << "seconds or milliseconds?";
  EXPECT_EQ(*parse_duration("2 min"), 120'000'000'000u);
}

TEST(Units, RefusesWhatIsNeitherSizeNorDuration) {
  EXPECT_FALSE(parse_bytes(""));
  EXPECT_FALSE(parse_bytes("-1"));
  EXPECT_FALSE(parse_bytes("12 parsecs"));
  EXPECT_FALSE(parse_bytes("99999999999999GiB"));
  EXPECT_FALSE(parse_bytes("nan"));
  EXPECT_FALSE(parse_duration("soon"));
  EXPECT_EQ(parse_duration("soon").error().exit_code, ExitCode::usage);
}

}  // namespace
}  // namespace memswell
