// Programs that a preload cannot or must not enter run as they would alone, are sampled, and the report says why.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <filesystem>

#include "tests/e2e/harness.h"

namespace memswell::tests {
namespace {

using ::testing::HasSubstr;

class Foreign : public ::testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    if (!std::filesystem::exists(case_path(GetParam()))) GTEST_SKIP() << "its compiler is not installed";
  }
};

TEST_P(Foreign, RunsUnharmedAndIsSampled) {
  const Recorded r = record_case(GetParam());
  EXPECT_EQ(r.run.exit_code, 9);
  const auto only = process(r, GetParam());
  EXPECT_EQ(only.at("capture"), "sampler");
  EXPECT_NE(only.at("reason"), "");
  EXPECT_GE(only.at("totals").at("peak_rss_bytes").get<std::uint64_t>(), 24U << 20);
}

TEST_P(Foreign, StartsUnharmedFromARecordedShell) {
  const Finished alone = run({.argv = {"/bin/sh", "-c", case_path(GetParam()) + "; echo $?"}});
  const Recorded r = record({"/bin/sh", "-c", case_path(GetParam()) + "; echo $?"});
  EXPECT_EQ(r.run.out, alone.out);
  EXPECT_EQ(r.run.err, alone.err);
}

TEST_P(Foreign, StartsUnharmedFromSystemAndPopen) {
  const Words command{"/usr/bin/perl", "-e",
                                         "$| = 1; system($ARGV[0]); print $? >> 8, qq{\\n};"
                                         "open(my $p, '-|', $ARGV[0]); print <$p>; close($p); print $? >> 8, qq{\\n};",
                                         case_path(GetParam())};
  const Finished alone = run({.argv = command});
  const Recorded r = record(command);
  EXPECT_THAT(alone.out, HasSubstr("9\n"));
  EXPECT_EQ(r.run.out, alone.out);
  EXPECT_EQ(r.run.err, alone.err);
}

INSTANTIATE_TEST_SUITE_P(Kinds, Foreign, ::testing::Values("foreign_static", "foreign_musl", "foreign_asan"),
                         [](const auto& one) { return std::string(one.param); });

// env(1) and sleep(1) with another user's setuid bit: one prints what it was given, the other lives long enough to be seen.
class Setuid : public ::testing::Test {
 protected:
  void SetUp() override {
    constexpr uid_t kNobody = 65534;
    struct statvfs mount {};
    if (statvfs(folder_.path().c_str(), &mount) == 0 && (mount.f_flag & ST_NOSUID) != 0) GTEST_SKIP() << "no setuid programs here";
    for (const char* name : {"env", "sleep"}) {
      std::filesystem::copy_file(std::string("/usr/bin/") + name, folder_.file(name));
      if (chown(folder_.file(name).c_str(), kNobody, kNobody) != 0) GTEST_SKIP() << "only root can give files away";
      ASSERT_EQ(chmod(folder_.file(name).c_str(), 04755), 0);
    }
  }

  const TemporaryFolder folder_;
};

TEST_F(Setuid, GetsNothingOfOursAndIsSampled) {
  const Words command{"/bin/sh", "-c", folder_.file("env") + " -u OLDPWD; " + folder_.file("sleep") + " 0.3; echo $?"};
  const Finished alone = run({.argv = command});
  const Recorded r = record(command);
  EXPECT_EQ(r.run.out, alone.out);
  EXPECT_EQ(r.run.err, alone.err);
  EXPECT_EQ(process(r, "sleep").at("capture"), "sampler");
  EXPECT_THAT(process(r, "sleep").at("reason"), HasSubstr("other privileges"));
}

TEST(OwnDefinitions, OwnMallocIsSaidAndNotMixedUp) {
  const Recorded r = record_case("own_malloc");
  EXPECT_EQ(r.run.out, "own malloc\n");
  const auto only = process(r, "own_malloc");
  EXPECT_NE(only.value("reason", ""), "");
  EXPECT_EQ(only.at("totals").at("live_blocks_at_exit"), 0);
}

// The program's write(), read() and getenv() are its own affair.
TEST(OwnDefinitions, ExportedNamesOfTheCLibraryAreNeverCalled) {
  const Recorded r = record_case("own_calls");
  EXPECT_EQ(r.run.out, "called 0 times meanwhile\n");
  EXPECT_EQ(site(r, "plain_site"), (Site{20000, 800000, 0, 0}));
}

}  // namespace
}  // namespace memswell::tests
