// What a program inherits from a strange parent it inherits through memswell too, and memswell works all the same.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/mman.h>

#include "tests/e2e/harness.h"

namespace memswell::tests {
namespace {

using ::testing::HasSubstr;

// Runs `PARENT memswell run … -- PROGRAM` and `PARENT PROGRAM`: the program must end and talk alike.
void expect_alike(const Words& parent, const Words& program, const std::string& recording) {
  const auto joined = [](Words first, const Words& second) {
    first.insert(first.end(), second.begin(), second.end());
    return first;
  };
  const Finished alone = run({.argv = joined(parent, program)});
  const Finished recorded =
      run({.argv = joined(parent, joined({MEMSWELL_BINARY, "run", "-q", "-o", recording, "--"}, program))});
  EXPECT_EQ(recorded.exit_code, alone.exit_code);
  EXPECT_EQ(recorded.signal, alone.signal);
  EXPECT_EQ(recorded.out, alone.out);
  EXPECT_EQ(recorded.err, alone.err);
}

TEST(Inherited, ClosedStandardStreamsStayClosedAndGetNothingOfOurs) {
  const TemporaryFolder folder;
  for (const char* closed : {">&-", "<&-", "2>&-", "<&- >&- 2>&-"}) {
    const std::string recording = folder.file(std::string("x") + std::to_string(std::hash<std::string>()(closed)) + ".swell");
    expect_alike({"sh", "-c", std::string("\"$0\" \"$@\" ") + closed},
                 {"sh", "-c", "ls /proc/self/fd | tr '\\n' ' ' > " + folder.file("descriptors") + "; echo out; echo err >&2; " +
                                  case_path("endings") + " exit"},
                 recording);
    const auto report = report_when_complete(recording);
    EXPECT_EQ(report.at("recording").at("lost_events"), 0) << closed;
    EXPECT_EQ(site(report.at("processes").back(), "keep_blocks").calls, 7000U) << closed;
  }
}

TEST(Inherited, IgnoredChildSignalKeepsTheExitStatus) {
  const TemporaryFolder folder;
  expect_alike({"perl", "-e", "$SIG{CHLD} = 'IGNORE'; exec @ARGV"}, {case_path("endings"), "exit"}, folder.file("x.swell"));
  const auto report = report_when_complete(folder.file("x.swell"));
  EXPECT_EQ(report.at("exit").at("code"), 22);
  EXPECT_EQ(site(report.at("processes").at(0), "keep_blocks").calls, 7000U);
}

// Ignored and blocked signals, as the program's own /proc/self/status says.
TEST(Inherited, SignalsAreThoseOfTheParent) {
  const TemporaryFolder folder;
  const std::string odd = "use POSIX; $SIG{CHLD} = 'IGNORE'; $SIG{PIPE} = 'IGNORE'; $SIG{INT} = 'IGNORE'; $SIG{TERM} = 'IGNORE';"
                          "sigprocmask(SIG_BLOCK, POSIX::SigSet->new(SIGUSR1, SIGUSR2, SIGHUP)); exec @ARGV";
  expect_alike({"perl", "-e", odd}, {"grep", "^Sig", "/proc/self/status"}, folder.file("x.swell"));
}

TEST(Inherited, LimitsAndMasksAreThoseOfTheParent) {
  const TemporaryFolder folder;
  const std::string odd = "ulimit -s 1024; ulimit -c 0; ulimit -n 200; umask 027; exec \"$0\" \"$@\"";
  expect_alike({"bash", "-c", odd}, {"sh", "-c", "cat /proc/self/limits /proc/self/timerslack_ns /proc/self/oom_score_adj; umask"},
               folder.file("x.swell"));
}

// With its memory locked a program has its own pages in memory, and not the whole of the region.
TEST(Inherited, LockedMemoryIsTheProgramsOwn) {
  const Recorded r = record_case("locked");
  if (r.run.exit_code == 77) GTEST_SKIP() << "memory cannot be locked here";
  EXPECT_EQ(r.run.exit_code, 0);
  EXPECT_EQ(r.run.out, "own pages locked\n");
  EXPECT_EQ(site(r, "keep_site").live_blocks, 500U);
}

}  // namespace
}  // namespace memswell::tests
