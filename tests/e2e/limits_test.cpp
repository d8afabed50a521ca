// Programs under limits of memory, and where nothing can be written: the program gets what it would get alone, and who ended
// it and why is in the report.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>

#include "tests/e2e/harness.h"

namespace memswell::tests {
namespace {

using ::testing::HasSubstr;

constexpr std::uint64_t kMiB = 1 << 20;

// ---------------------------------------------------------------------------------------------- address space

class AddressSpace : public ::testing::TestWithParam<int> {};  // ulimit -v, in KiB

TEST_P(AddressSpace, OfMemswellTooMayBeLimited) {
  const TemporaryFolder folder;
  const std::string script = "ulimit -v " + std::to_string(GetParam()) + "; exec \"$0\" run -q -o \"$2\" -- \"$1\" exit";
  const Finished f =
      run({.argv = {"bash", "-c", script, MEMSWELL_BINARY, case_path("endings"), folder.file("x.swell")}});
  EXPECT_EQ(f.exit_code, 22) << f.err;
  EXPECT_EQ(f.out, "kept 7000\n");
  const auto report = report_when_complete(folder.file("x.swell"));
  EXPECT_EQ(report.at("recording").at("lost_events"), 0);
  EXPECT_EQ(site(report.at("processes").at(0), "keep_blocks").calls, 7000U);
}

INSTANTIATE_TEST_SUITE_P(Limits, AddressSpace, ::testing::Values(60'000, 100'000, 200'000, 1'000'000));

class ProgramsAddressSpace : public ::testing::TestWithParam<int> {};

// Only the program is limited, from 4 MiB on, where it hardly runs alone.
TEST_P(ProgramsAddressSpace, IsItsOwn) {
  const TemporaryFolder folder;
  const std::string limited = "ulimit -v " + std::to_string(GetParam()) + "; exec \"$0\" exit";
  const Finished alone = run({.argv = {"bash", "-c", limited, case_path("endings")}});
  const Finished f = memswell({"run", "-q", "-o", folder.file("x.swell"), "--", "bash", "-c", limited, case_path("endings")});
  EXPECT_EQ(f.exit_code, alone.exit_code);
  EXPECT_EQ(f.out, alone.out);
  EXPECT_EQ(f.err, alone.err);
  EXPECT_EQ(report_when_complete(folder.file("x.swell")).at("recording").at("lost_events"), 0);
}

INSTANTIATE_TEST_SUITE_P(Limits, ProgramsAddressSpace,
                         ::testing::Values(4'000, 6'000, 8'000, 12'000, 16'000, 24'000, 32'000, 48'000, 64'000, 100'000));

// ------------------------------------------------------------------------------------------------------ cgroup

// A memory group of our own with a limit, v1 or v2. Empty: it cannot be made here.
class MemoryGroup {
 public:
  explicit MemoryGroup(std::uint64_t limit) {
    const std::string name = "/memswell-test-" + std::to_string(::getpid());
    for (const auto& [root, file] : {std::pair<std::string, const char*>{"/sys/fs/cgroup/memory", "memory.limit_in_bytes"},
                                     {"/sys/fs/cgroup", "memory.max"}}) {
      std::error_code error;
      if (!std::filesystem::create_directory(root + name, error)) continue;
      path_ = root + name;
      if (std::ofstream(path_ + "/" + file) << limit << std::flush) return;
      std::filesystem::remove(path_, error);
      path_.clear();
    }
  }
  ~MemoryGroup() {
    std::error_code error;
    if (!path_.empty()) std::filesystem::remove(path_, error);  // a group is removed as an empty folder is
  }
  MemoryGroup(const MemoryGroup&) = delete;
  MemoryGroup& operator=(const MemoryGroup&) = delete;
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

constexpr std::uint64_t kLimit = 96 * kMiB;

void expect_killed_by_the_kernel(const nlohmann::json& exit) {
  EXPECT_EQ(exit.at("reason"), "oom_killed") << exit;
  EXPECT_EQ(exit.at("signal"), SIGKILL);
  ASSERT_TRUE(exit.contains("cgroup")) << exit;
  const auto& group = exit.at("cgroup");
  EXPECT_EQ(group.at("limit_bytes"), kLimit);
  // As last seen before the kill; how long before depends on how busy the machine is.
  EXPECT_GE(group.at("anon_bytes"), kLimit / 4);
  EXPECT_LE(group.at("anon_bytes").get<std::uint64_t>() + group.at("kernel_bytes").get<std::uint64_t>(), kLimit);
}

TEST(CgroupLimit, KillOfTheProgramIsSaidWithWhatTheGroupHeld) {
  const MemoryGroup group(kLimit);
  if (group.path().empty()) GTEST_SKIP() << "no memory control group can be made here";
  const TemporaryFolder folder;
  const std::string script = "echo $$ > \"$1/cgroup.procs\" && exec \"$0\"";
  const Finished f = memswell({"run", "-o", folder.file("x.swell"), "--", "sh", "-c", script, case_path("hungry"), group.path()});
  EXPECT_EQ(f.signal, SIGKILL);
  EXPECT_THAT(f.err, HasSubstr("killed by the kernel: out of memory (cgroup limit 96.0 MiB: anon "));
  const auto report = report_when_complete(folder.file("x.swell"));
  expect_killed_by_the_kernel(report.at("exit"));
  EXPECT_EQ(report.at("recording").at("lost_events"), 0);
  EXPECT_GE(site(report.at("processes").back(), "grow_site").live_blocks, 80U);
}

// As in a container: memswell lies under the same limit.
TEST(CgroupLimit, HitsTheProgramAndNotTheRecorderBesideIt) {
  const MemoryGroup group(kLimit);
  if (group.path().empty()) GTEST_SKIP() << "no memory control group can be made here";
  const TemporaryFolder folder;
  const std::string script = "echo $$ > \"$1/cgroup.procs\" && exec \"$2\" run -q -o \"$3\" -- \"$0\"";
  const Finished f = run({.argv = {"sh", "-c", script, case_path("hungry"), group.path(), MEMSWELL_BINARY, folder.file("x.swell")}});
  EXPECT_EQ(f.signal, SIGKILL);
  const auto report = report_when_complete(folder.file("x.swell"));
  expect_killed_by_the_kernel(report.at("exit"));
  EXPECT_EQ(report.at("recording").at("lost_events"), 0);
}

TEST(CgroupLimit, KillOfAChildIsTheChilds) {
  const MemoryGroup group(kLimit);
  if (group.path().empty()) GTEST_SKIP() << "no memory control group can be made here";
  const TemporaryFolder folder;
  const std::string script = "echo $$ > \"$1/cgroup.procs\" && \"$0\"; \"$0\" 3; kill -9 $$";
  memswell({"run", "-q", "-o", folder.file("x.swell"), "--", "sh", "-c", script, case_path("hungry"), group.path()});
  const auto report = report_when_complete(folder.file("x.swell"));
  EXPECT_EQ(report.at("exit").at("reason"), "signalled");
  std::vector<std::string> reasons;
  for (const auto& process : report.at("processes"))
    if (process.at("executable").get<std::string>().ends_with("/hungry")) reasons.push_back(process.at("exit").at("reason"));
  EXPECT_EQ(reasons, (std::vector<std::string>{"oom_killed", "exited"}));
}

// --------------------------------------------------------------------------------------------- nowhere to write

TEST(ReadOnly, FolderIsSaidBeforeTheProgramStarts) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root can mount a read-only file system";
  const TemporaryFolder folder;
  const std::string script = "mount -t tmpfs -o ro none \"$1\" && cd \"$1\" && exec \"$0\" run -- /bin/echo ran";
  const Finished f = run({.argv = {"unshare", "--mount", "sh", "-c", script, MEMSWELL_BINARY, folder.path()}});
  EXPECT_EQ(f.exit_code, 125);
  EXPECT_EQ(f.out, "");
  EXPECT_THAT(f.err, HasSubstr("Read-only file system"));
  EXPECT_THAT(f.err, HasSubstr("-o"));
}

// As in a container: only the recording's own folder can be written, /tmp and the runtime folder cannot.
TEST(ReadOnly, TemporaryFolderIsNotNeeded) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root can mount a read-only file system";
  const TemporaryFolder folder;
  const std::string script =
      "cp \"$2\" \"$1/endings\"; mkdir \"$1/ro\"; mount -t tmpfs -o ro none \"$1/ro\"; cd \"$1\"; unset XDG_RUNTIME_DIR;"
      " mount --bind \"$1\" /mnt; mount --bind \"$1/ro\" /tmp 2>/dev/null || exit 77;"
      " exec /mnt/memswell/bin/memswell run -q -o /mnt/x.swell -- /mnt/endings exit";
  const std::string build = std::filesystem::path(MEMSWELL_BINARY).parent_path().parent_path();
  std::filesystem::create_directory(folder.file("memswell"));
  for (const char* part : {"bin", "lib"})
    std::filesystem::copy(build + "/" + part, folder.file("memswell/") + part, std::filesystem::copy_options::recursive);
  const Finished f = run({.argv = {"unshare", "--mount", "sh", "-c", script, "sh", folder.path(), case_path("endings")}});
  EXPECT_EQ(f.exit_code, 22) << f.err;
  const auto report = report_when_complete(folder.file("x.swell"));
  EXPECT_EQ(site(report.at("processes").at(0), "keep_blocks").calls, 7000U);
}

}  // namespace
}  // namespace memswell::tests
