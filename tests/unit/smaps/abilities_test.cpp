#include "probes/smaps/abilities.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>

#include "probes/smaps/ability_trials.h"
#include "probes/smaps/high_water_mark.h"
#include "probes/smaps/page_map.h"

namespace memswell::smaps {
namespace {

Ability ability(std::string_view name) {
  const auto all = find_abilities();
  const auto found = std::ranges::find(all, name, &Ability::name);
  return found == all.end() ? Ability{} : *found;
}

TEST(Abilities, EachSaysWhatWasFoundAndWhatFollows) {
  const auto all = find_abilities();
  EXPECT_GE(all.size(), 20u);
  for (const auto& one : all) {
    EXPECT_FALSE(one.name.empty());
    EXPECT_FALSE(one.found.empty()) << one.name;
    EXPECT_FALSE(one.consequence.empty()) << one.name;
  }
}

TEST(Abilities, NoNameComesTwice) {
  auto all = find_abilities();
  std::ranges::sort(all, {}, &Ability::name);
  EXPECT_EQ(std::ranges::adjacent_find(all, {}, &Ability::name), all.end());
}

TEST(Abilities, PagemapScanSwitchedOffIsMissing) {
  ::setenv("MEMSWELL_NO_PAGEMAP_SCAN", "1", 1);
  const auto off = ability("PAGEMAP_SCAN");
  ::unsetenv("MEMSWELL_NO_PAGEMAP_SCAN");
  EXPECT_EQ(off.state, AbilityState::missing);
  EXPECT_EQ(ability("PAGEMAP_SCAN").state, page_scan_available() ? AbilityState::available : AbilityState::missing);
}

TEST(Abilities, PeakResetsSwitchedOffAreMissing) {
  ::setenv("MEMSWELL_NO_CLEAR_REFS", "1", 1);
  const auto off = ability("peak reset (clear_refs 5)");
  const bool works = high_water_mark_resets_work();
  ::unsetenv("MEMSWELL_NO_CLEAR_REFS");
  EXPECT_EQ(off.state, AbilityState::missing);
  EXPECT_FALSE(works);
}

TEST(AbilityTrials, ThisKernelHasWhatEveryKernelSince416Has) {
  EXPECT_TRUE(try_pagemap());
  EXPECT_TRUE(try_memfd());
  EXPECT_TRUE(try_robust_mutex());
  EXPECT_TRUE(try_global_barrier());
  EXPECT_TRUE(try_rseq().kernel);
}

}  // namespace
}  // namespace memswell::smaps
