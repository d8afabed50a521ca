#include "analysis/model.h"

#include <gtest/gtest.h>

#include <set>

namespace memswell::analysis {
namespace {

TEST(Model, OwnerTextsStandInTheOrderOfTheEnum) {
  for (std::size_t i = 0; i < kOwners; ++i) EXPECT_EQ(static_cast<std::size_t>(kOwnerTexts[i].owner), i);
}

TEST(Model, EveryFindingHasAKeyOfItsOwn) {
  std::set<std::string_view> keys;
  for (std::size_t i = 0; i < kFindingKinds; ++i) keys.insert(finding_key(static_cast<FindingKind>(i)));
  EXPECT_EQ(keys.size(), kFindingKinds);
  EXPECT_EQ(finding_key(FindingKind::unnamed), "unnamed");
}

TEST(Model, ExitReasonsAreNamedAsTheEnum) {
  EXPECT_EQ(exit_reason_key(trace::EndReason::exited), "exited");
  EXPECT_EQ(exit_reason_key(trace::EndReason::oom_killed), "oom_killed");
}

TEST(Model, ACostIsOneOfTheFigures) {
  Figures figures;
  figures.temporary = 3;
  figures.live_at_peak_bytes = 5;
  EXPECT_EQ(cost_of(figures, Cost::temporary), 3u);
  EXPECT_EQ(cost_of(figures, Cost::live_at_peak), 5u);
}

}  // namespace
}  // namespace memswell::analysis
