#include "workloads/truth.h"

#include <gtest/gtest.h>

namespace memswell::workloads {
namespace {

constexpr std::string_view kLine =
    R"({"workload":"append","arguments":["order=_"],"recorded":true,"calls":7,"phases":[)"
    R"({"name":"base","calls":0,"rss_bytes":4096,"facts":{}},)"
    R"({"name":"row-1","calls":3,"rss_bytes":8192,"facts":{"moved":2}},)"
    R"({"name":"row-2","calls":4,"rss_bytes":12288,"facts":{"moved":1}}]})";

TEST(Truth, KnowsTotalsPhasesAndFacts) {
  const auto truth = parse_truth(kLine);
  ASSERT_TRUE(truth);
  EXPECT_EQ(truth->workload, "append");
  EXPECT_TRUE(truth->recorded);
  EXPECT_EQ(truth->figure("", "calls"), 7);
  EXPECT_EQ(truth->figure("row-1", "rss_bytes"), 8192);
  EXPECT_EQ(truth->figure("row-2", "moved"), 1);
}

TEST(Truth, SaysNothingOfWhatIsNotThere) {
  const auto truth = parse_truth(kLine);
  ASSERT_TRUE(truth);
  EXPECT_EQ(truth->figure("row-3", "calls"), std::nullopt);
  EXPECT_EQ(truth->figure("row-1", "copied_bytes"), std::nullopt);
}

TEST(Truth, SumsOverPhasesByPrefix) {
  const auto truth = parse_truth(kLine);
  ASSERT_TRUE(truth);
  EXPECT_EQ(truth->sum("row", "moved"), 3);
  EXPECT_EQ(truth->sum("base row-2", "calls"), 4);
  EXPECT_EQ(truth->sum("fill", "calls"), 0);
}

TEST(Truth, EveryPrefixOfALineIsRefused) {
  for (std::size_t length = 0; length < kLine.size(); ++length) {
    EXPECT_FALSE(parse_truth(kLine.substr(0, length))) << length;
  }
}

TEST(Truth, RefusesPhasesWithoutNames) {
  EXPECT_FALSE(parse_truth(R"({"workload":"x","phases":[{"calls":1}]})"));
  EXPECT_FALSE(parse_truth(R"({"workload":"x","phases":[1]})"));
}

}  // namespace
}  // namespace memswell::workloads
