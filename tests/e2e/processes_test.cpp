// fork, vfork, posix_spawn, raw clone, exec chains and daemons: each process counts for itself and ends as it would.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "tests/e2e/harness.h"

namespace memswell::tests {
namespace {

using ::testing::IsEmpty;

const Site kBefore{300, 300 * 56, 300, 300 * 56};
const Site kParent{900, 900 * 88, 900, 900 * 88};
const Site kChild{700, 700 * 24, 700, 700 * 24};

class BothSidesOfFork : public ::testing::TestWithParam<const char*> {};

TEST_P(BothSidesOfFork, CountForThemselves) {
  const Recorded r = record_case("forks", {GetParam()}, {.counted = true});
  const auto all = processes(r);
  ASSERT_EQ(all.size(), 2U);
  EXPECT_EQ(all[1].at("ppid"), all[0].at("pid"));
  EXPECT_EQ(site(all[0], "parent_site"), kParent);
  EXPECT_EQ(site(all[0], "child_site"), Site{});
  EXPECT_EQ(site(all[1], "child_site"), kChild);
  EXPECT_EQ(site(all[1], "parent_site"), Site{});
  EXPECT_THAT(count_differences(r), IsEmpty());
}

// The child frees all that it inherited; these blocks stay live in the parent.
TEST_P(BothSidesOfFork, FreesInTheChildStayInTheChild) {
  const auto all = processes(record_case("forks", {GetParam()}));
  ASSERT_EQ(all.size(), 2U);
  EXPECT_EQ(site(all[0], "before_site"), kBefore);
  EXPECT_EQ(site(all[1], "before_site").live_blocks, 0U);
}

INSTANTIATE_TEST_SUITE_P(Kinds, BothSidesOfFork, ::testing::Values("fork", "raw"),
                         [](const auto& one) { return std::string(one.param); });

// What a worker inherited has owners in its ledger too, though it never calls anything that is recorded.
class Readers : public ::testing::TestWithParam<const char*> {};

TEST_P(Readers, ThatOnlyReadAreRecordedWithWhatTheyInherited) {
  const Recorded r = record_case("forks", {GetParam()}, {.run_options = {"--phase-every", "300ms"}});
  EXPECT_EQ(r.run.out, "8 children ended\n");
  const auto all = processes(r);
  ASSERT_EQ(all.size(), 9U);
  for (std::size_t i = 1; i < all.size(); ++i) {
    EXPECT_EQ(all[i].at("capture"), "full") << all[i].at("reason");
    EXPECT_EQ(all[i].at("totals").at("calls"), 0);
    EXPECT_EQ(all[i].at("totals").at("inherited_bytes"), (24 << 20) + 300 * 56);
    ASSERT_FALSE(all[i].at("snapshots").empty());
    for (const auto& row : all[i].at("snapshots").back().at("rows")) {
      if (row.at("owner") == "heap_live") { EXPECT_GT(row.at("bytes"), 24 << 20); }
      if (row.at("owner") == "unknown") { EXPECT_LT(row.at("bytes"), 1 << 20); }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Kinds, Readers, ::testing::Values("readers", "raw_readers"),
                         [](const auto& one) { return std::string(one.param); });

TEST(Processes, ForksFromBusyThreadsNeverHang) {
  const Recorded r = record_case("forks", {"threads"});
  EXPECT_EQ(r.run.out, "40 children ended\n");
  EXPECT_EQ(processes(r).size(), 41U);
}

TEST(Processes, VforkChildAllocatesForItsParent) {
  const Recorded r = record_case("forks", {"spawn"}, {.counted = true});
  EXPECT_EQ(r.run.out, "150 children ended\n");
  EXPECT_EQ(site(process(r, "forks"), "vfork_child_site"), (Site{50, 50 * 64, 0, 0}));
  EXPECT_THAT(count_differences(r), IsEmpty());
}

TEST(Processes, EveryImageOfAnExecChainIsAnEntry) {
  const Recorded r = record_case("forks", {"chain", "3"}, {.counted = true});
  const auto all = processes(r);
  ASSERT_EQ(all.size(), 4U);
  for (const auto& image : all) EXPECT_EQ(site(image, "before_site"), kBefore);
  EXPECT_THAT(count_differences(r), IsEmpty());
}

// memswell returns when the first process has ended; the recorder stays until the daemon has.
TEST(Processes, DaemonIsRecordedToItsEnd) {
  const TemporaryFolder folder;
  const std::string done = folder.file("done");
  const std::string recording = folder.file("daemon.swell");
  const Finished f = memswell({"run", "-q", "-o", recording, "--", case_path("forks"), "daemon", done});
  EXPECT_EQ(f.exit_code, 0);
  Recorded r;
  r.reports.push_back(report_when_complete(recording));
  EXPECT_TRUE(std::filesystem::exists(done));
  EXPECT_EQ(site(r, "child_site"), kChild);
}

}  // namespace
}  // namespace memswell::tests
