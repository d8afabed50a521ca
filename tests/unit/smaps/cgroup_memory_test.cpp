#include "probes/smaps/cgroup_memory.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include "tests/unit/smaps/temporary_directory.h"

namespace memswell::smaps {
namespace {

using test::TemporaryDirectory;

constexpr std::string_view kHybrid = "9:name=systemd:/\n4:cpu,memory:/jobs/17\n1:cpu:/\n0::/user.slice\n";
constexpr std::string_view kMounts =
    "30 23 0:26 / /sys/fs/cgroup/memory rw,nosuid shared:9 - cgroup cgroup rw,memory\n"
    "31 23 0:27 / /sys/fs/cgroup/cpu rw - cgroup cgroup rw,cpu\n"
    "32 23 0:28 /docker/ab /mnt/a\\040b rw master:1 - cgroup2 cgroup2 rw,nsdelegate\n"
    "33 1 8:1 / / rw - ext4 /dev/sda1 rw\n";

// A tree of v2 files: group "job" with its own figures within "slice" with the lower limit.
class CgroupTree : public testing::Test {
 protected:
  CgroupTree() {
    tree_.write("slice/memory.max", "100000000\n");
    tree_.write("slice/memory.stat", "anon 9\n");
    tree_.write("slice/job/memory.max", "max\n");
    tree_.write("slice/job/memory.current", "4096000\n");
    tree_.write("slice/job/memory.events", "low 0\nhigh 3\nmax 5\noom 2\noom_kill 1\noom_group_kill 0\n");
    tree_.write("slice/job/memory.stat", "anon 1000\nfile 2000\nkernel 300\nkernel_stack 16\nslab 200\n");
  }
  std::optional<CgroupMemory> read(const std::string& group) const {
    return read_cgroup_files({2, group}, {{2, "/", tree_.path()}});
  }
  TemporaryDirectory tree_;
};

TEST(CgroupText, TellsTheGroupsThatMayHaveMemory) {
  const auto places = parse_cgroup(kHybrid);
  ASSERT_EQ(places.size(), 2u);
  EXPECT_EQ(places[0].version, 1);
  EXPECT_EQ(places[0].path, "/jobs/17");
  EXPECT_EQ(places[1].version, 2);
  EXPECT_EQ(places[1].path, "/user.slice");
}

TEST(CgroupText, KeepsColonsInNames) { EXPECT_EQ(parse_cgroup("0::/a:b\n")[0].path, "/a:b"); }

TEST(CgroupText, EveryPrefixHoldsOnlyWholePaths) {
  for (std::size_t length = 0; length < kHybrid.size(); ++length) {
    for (const auto& place : parse_cgroup(kHybrid.substr(0, length))) ASSERT_EQ(place.path, "/jobs/17") << length;
  }
}

TEST(CgroupMounts, AreThoseWithTheMemoryController) {
  const auto mounts = parse_cgroup_mounts(kMounts);
  ASSERT_EQ(mounts.size(), 2u);
  EXPECT_EQ(mounts[0].version, 1);
  EXPECT_EQ(mounts[0].point, "/sys/fs/cgroup/memory");
  EXPECT_EQ(mounts[1].version, 2);
  EXPECT_EQ(mounts[1].root, "/docker/ab");
  EXPECT_EQ(mounts[1].point, "/mnt/a b");
}

TEST(CgroupMounts, SurviveEveryPrefix) {
  for (std::size_t length = 0; length < kMounts.size(); ++length) {
    ASSERT_LE(parse_cgroup_mounts(kMounts.substr(0, length)).size(), 2u);
  }
}

TEST_F(CgroupTree, ReadsTheFiguresOfTheGroup) {
  const auto memory = read("/slice/job");
  ASSERT_TRUE(memory);
  EXPECT_EQ(memory->directory, tree_.path() + "/slice/job");
  EXPECT_EQ(memory->current_bytes, 4096000u);
  EXPECT_EQ(memory->oom_kills, 1u);
  EXPECT_EQ(memory->anon_bytes, 1000u);
  EXPECT_EQ(memory->file_bytes, 2000u);
  EXPECT_EQ(memory->kernel_bytes, 300u);
}

TEST_F(CgroupTree, TheLowestLimitAroundTheGroupHolds) {
  EXPECT_EQ(read("/slice/job")->limit_bytes, 100000000u);
  tree_.write("slice/job/memory.max", "5000\n");
  EXPECT_EQ(read("/slice/job")->limit_bytes, 5000u);
  tree_.write("slice/job/memory.max", "max\n");
  tree_.write("slice/memory.max", "max\n");
  EXPECT_EQ(read("/slice/job")->limit_bytes, std::nullopt);
}

TEST_F(CgroupTree, BeforeTheSumOfTheKernelsPartsWasPrintedTheyAreAdded) {
  tree_.write("slice/job/memory.stat",
              "anon 1000\nfile 2000\nkernel_stack 16\npagetables 8\npercpu 4\nsock 2\nslab 200\n");
  EXPECT_EQ(read("/slice/job")->kernel_bytes, 230u);
}

TEST_F(CgroupTree, FiguresAreReadAgainAndNotAddedUp) {
  auto memory = *read("/slice/job");
  tree_.write("slice/job/memory.stat", "anon 5000\nfile 1\nkernel 2\n");
  tree_.write("slice/job/memory.events", "oom_kill 4\n");
  tree_.write("slice/job/memory.current", "77\n");
  refresh(memory);
  EXPECT_EQ(memory.anon_bytes, 5000u);
  EXPECT_EQ(memory.file_bytes, 1u);
  EXPECT_EQ(memory.kernel_bytes, 2u);
  EXPECT_EQ(memory.oom_kills, 4u);
  EXPECT_EQ(memory.current_bytes, 77u);
  EXPECT_EQ(memory.limit_bytes, 100'000'000u);
}

TEST_F(CgroupTree, FiguresOfAGroupThatIsGoneStay) {
  auto memory = *read("/slice/job");
  memory.directory = tree_.path() + "/gone";
  refresh(memory);
  EXPECT_EQ(memory.anon_bytes, 1000u);
  EXPECT_EQ(memory.oom_kills, 1u);
}

TEST_F(CgroupTree, AGroupOutsideOfTheMountIsNotSeen) {
  EXPECT_FALSE(read("/elsewhere"));
  EXPECT_FALSE(read("/../outside"));
  EXPECT_FALSE(read_cgroup_files({2, "/sli"}, {{2, "/slice", tree_.path()}}));
  EXPECT_FALSE(read_cgroup_files({1, "/slice/job"}, {{2, "/", tree_.path()}}));
}

TEST_F(CgroupTree, AMountOfAPartOfTheTreeIsUnderstood) {
  const auto memory = read_cgroup_files({2, "/docker/ab/job"}, {{2, "/docker/ab", tree_.path() + "/slice"}});
  ASSERT_TRUE(memory);
  EXPECT_EQ(memory->anon_bytes, 1000u);
  EXPECT_EQ(memory->limit_bytes, 100000000u);
}

TEST(CgroupV1, ReadsItsOwnFiles) {
  const TemporaryDirectory tree;
  tree.write("job/memory.limit_in_bytes", "9223372036854771712\n");
  tree.write("job/memory.usage_in_bytes", "777\n");
  tree.write("job/memory.oom_control", "oom_kill_disable 0\nunder_oom 0\noom_kill 2\n");
  tree.write("job/memory.stat", "cache 1\nrss 2\ntotal_cache 10\ntotal_rss 20\n");
  tree.write("job/memory.kmem.usage_in_bytes", "30\n");
  const auto memory = read_cgroup_files({1, "/job"}, {{1, "/", tree.path()}});
  ASSERT_TRUE(memory);
  EXPECT_EQ(memory->limit_bytes, std::nullopt);
  EXPECT_EQ(memory->current_bytes, 777u);
  EXPECT_EQ(memory->oom_kills, 2u);
  EXPECT_EQ(memory->file_bytes, 10u);
  EXPECT_EQ(memory->anon_bytes, 20u);
  EXPECT_EQ(memory->kernel_bytes, 30u);
}

TEST(CgroupMemory, OfTheOwnProcessIsReadWithoutError) {
  const auto files = ProcessFiles::open(::getpid());
  const auto memory = read_cgroup_memory(**files);
  ASSERT_TRUE(memory) << memory.error().sentence;
}

}  // namespace
}  // namespace memswell::smaps
