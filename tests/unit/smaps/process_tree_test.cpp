#include "probes/smaps/process_tree.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>

#include "tests/unit/smaps/arena_child.h"

namespace memswell::smaps {
namespace {

using test::ArenaChild;
using Pids = std::vector<std::int32_t>;

Pids sorted(Pids pids) {
  std::ranges::sort(pids);
  return pids;
}

class ProcessTreeTest : public testing::TestWithParam<ChildrenFrom> {
 protected:
  void SetUp() override {
    if (GetParam() == ChildrenFrom::children_files && children_source() != GetParam())
      GTEST_SKIP() << "not in this kernel";
  }
};

INSTANTIATE_TEST_SUITE_P(Sources, ProcessTreeTest,
                         testing::Values(ChildrenFrom::children_files, ChildrenFrom::scan_of_all),
                         [](const auto& from) {
                           return from.param == ChildrenFrom::children_files ? "ChildrenFiles" : "ScanOfAll";
                         });

TEST_P(ProcessTreeTest, FindsAllChildren) {
  const ArenaChild first({[] {}});
  const ArenaChild second({[] {}});
  const auto self = ProcessFiles::open(::getpid());
  const auto children = child_pids(**self, GetParam());
  ASSERT_TRUE(children);
  EXPECT_EQ(*children, sorted({first.pid(), second.pid()}));
}

TEST_P(ProcessTreeTest, AProcessWithoutChildrenHasNone) {
  const ArenaChild child({[] {}});
  const auto files = ProcessFiles::open(child.pid());
  const auto children = child_pids(**files, GetParam());
  ASSERT_TRUE(children);
  EXPECT_TRUE(children->empty());
}

TEST_P(ProcessTreeTest, FindsGrandchildren) {
  const ArenaChild child({[] {
    if (::fork() == 0) {
      for (;;) ::pause();
    }
  }});
  const auto files = ProcessFiles::open(child.pid());
  const auto grandchildren = child_pids(**files, GetParam());
  const auto descendants = descendant_pids(::getpid(), GetParam());
  ASSERT_TRUE(grandchildren && descendants);
  ASSERT_EQ(grandchildren->size(), 1u);
  EXPECT_EQ(*descendants, sorted({child.pid(), grandchildren->front()}));
  ::kill(grandchildren->front(), SIGKILL);
}

TEST(ChildrenText, IsAListOfPids) {
  EXPECT_EQ(parse_children("12 345 6 "), (Pids{12, 345, 6}));
  EXPECT_EQ(parse_children(""), Pids{});
}

TEST(ChildrenText, ACutPidIsLeftOut) { EXPECT_EQ(parse_children("12 34"), Pids{12}); }

}  // namespace
}  // namespace memswell::smaps
