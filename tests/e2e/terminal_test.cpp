// At a terminal, under a shell with job control: keys reach the program as they would without memswell, memswell stops and
// ends with it, and the recording is whole.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>
#include <string>

#include "tests/e2e/harness.h"
#include "tests/support/terminal.h"

namespace memswell::tests {
namespace {

constexpr char kCtrlC = '\x03';
constexpr char kCtrlBackslash = '\x1c';
constexpr char kCtrlZ = '\x1a';
constexpr Site kKept{1000, 40000, 1000, 40000};

class AtTheTerminal : public ::testing::Test {
 protected:
  std::string command(const std::string& name, const std::string& options = "-q") const {
    return std::string(MEMSWELL_BINARY) + " run " + options + " -o " + recording() + " -- " + case_path(name);
  }
  std::string recording() const { return folder_.file("x.swell"); }

  // The program's own status, and all that it did, nothing lost.
  void expect_whole(const char* key, int value) {
    const auto report = report_when_complete(recording());
    EXPECT_EQ(report.at("exit").at(key), value);
    EXPECT_EQ(report.at("recording").at("lost_events"), 0);
    EXPECT_EQ(site(report.at("processes").at(0), "keep_site"), kKept);
    EXPECT_EQ(site(report.at("processes").at(0), "work_site").live_blocks, 0U);
  }

  Terminal terminal_;

 private:
  TemporaryFolder folder_;
};

TEST_F(AtTheTerminal, CtrlCEndsTheProgramAndTheRecordingIsWhole) {
  terminal_.type(command("terminal"));
  ASSERT_TRUE(terminal_.sees("working")) << terminal_.seen();
  terminal_.press(kCtrlC);
  ASSERT_TRUE(terminal_.sees("ready> ")) << terminal_.seen();
  terminal_.type("echo status $?");
  EXPECT_TRUE(terminal_.sees("status 130")) << terminal_.seen();
  expect_whole("signal", SIGINT);
}

TEST_F(AtTheTerminal, CtrlCStillLeavesASummary) {
  terminal_.type(command("terminal", "--no-symbols"));
  ASSERT_TRUE(terminal_.sees("working")) << terminal_.seen();
  terminal_.press(kCtrlC);
  EXPECT_TRUE(terminal_.sees("killed by signal 2 (Interrupt)")) << terminal_.seen();
  EXPECT_TRUE(terminal_.sees("recording: ")) << terminal_.seen();
}

// A shell ends its loop if the command died of the interrupt, and goes on if it had other plans.
TEST_F(AtTheTerminal, CtrlCEndsAShellsLoopAsWithoutMemswell) {
  terminal_.type("for i in 1 2; do " + command("terminal", "-q --force") + "; done; echo loop ended");
  ASSERT_TRUE(terminal_.sees("working")) << terminal_.seen();
  terminal_.press(kCtrlC);
  ASSERT_TRUE(terminal_.sees("ready> ")) << terminal_.seen();
  terminal_.type("echo after");
  ASSERT_TRUE(terminal_.sees("\nafter")) << terminal_.seen();
  EXPECT_THAT(terminal_.seen(), ::testing::Not(::testing::HasSubstr("\nloop ended")));
}

TEST_F(AtTheTerminal, ProgramThatCleansUpAfterCtrlCKeepsItsStatus) {
  terminal_.type("sh -c 'trap \"echo cleaned; exit 9\" INT; " + command("terminal", "-q") + "'; echo outer $?");
  ASSERT_TRUE(terminal_.sees("working")) << terminal_.seen();
  terminal_.press(kCtrlC);
  EXPECT_TRUE(terminal_.sees("cleaned")) << terminal_.seen();
  EXPECT_TRUE(terminal_.sees("outer 9")) << terminal_.seen();
  expect_whole("signal", SIGINT);
}

TEST_F(AtTheTerminal, CtrlBackslashIsSigquit) {
  terminal_.type("ulimit -c 0; " + command("terminal"));
  ASSERT_TRUE(terminal_.sees("working")) << terminal_.seen();
  terminal_.press(kCtrlBackslash);
  ASSERT_TRUE(terminal_.sees("ready> ")) << terminal_.seen();
  terminal_.type("echo status $?");
  EXPECT_TRUE(terminal_.sees("status 131")) << terminal_.seen();
  expect_whole("signal", SIGQUIT);
}

TEST_F(AtTheTerminal, CtrlZStopsTheJobAndForegroundContinuesIt) {
  terminal_.type(command("terminal"));
  ASSERT_TRUE(terminal_.sees("working")) << terminal_.seen();
  for (int again = 0; again < 2; ++again) {
    terminal_.press(kCtrlZ);
    ASSERT_TRUE(terminal_.sees("Stopped")) << terminal_.seen();
    ASSERT_TRUE(terminal_.sees("ready> ")) << terminal_.seen();
    terminal_.type("jobs -s; echo listed");
    ASSERT_TRUE(terminal_.sees("Stopped")) << terminal_.seen();
    ASSERT_TRUE(terminal_.sees("\nlisted")) << terminal_.seen();
    terminal_.type("fg");
    ASSERT_TRUE(terminal_.sees("continued")) << terminal_.seen();
  }
  terminal_.type("end");
  ASSERT_TRUE(terminal_.sees("ended")) << terminal_.seen();
  terminal_.type("echo status $?");
  EXPECT_TRUE(terminal_.sees("status 31")) << terminal_.seen();
  expect_whole("code", 31);
}

TEST_F(AtTheTerminal, StoppedJobGoesOnInTheBackground) {
  terminal_.type(command("terminal"));
  ASSERT_TRUE(terminal_.sees("working")) << terminal_.seen();
  terminal_.press(kCtrlZ);
  ASSERT_TRUE(terminal_.sees("Stopped")) << terminal_.seen();
  terminal_.type("bg");
  ASSERT_TRUE(terminal_.sees("continued")) << terminal_.seen();
  terminal_.type("kill -TERM %1; wait %1; echo status $?");
  EXPECT_TRUE(terminal_.sees("status 143")) << terminal_.seen();
  expect_whole("signal", SIGTERM);
}

TEST_F(AtTheTerminal, StoppedJobCanBeKilled) {
  terminal_.type(command("terminal"));
  ASSERT_TRUE(terminal_.sees("working")) << terminal_.seen();
  terminal_.press(kCtrlZ);
  ASSERT_TRUE(terminal_.sees("Stopped")) << terminal_.seen();
  terminal_.type("kill -TERM %1; kill -CONT %1; wait %1; echo status $?");
  EXPECT_TRUE(terminal_.sees("status 143")) << terminal_.seen();
  expect_whole("signal", SIGTERM);
}

TEST_F(AtTheTerminal, ResizeReachesTheProgram) {
  terminal_.type(command("terminal"));
  ASSERT_TRUE(terminal_.sees("working")) << terminal_.seen();
  terminal_.resize(50, 132);
  EXPECT_TRUE(terminal_.sees("size 50 x 132")) << terminal_.seen();
  terminal_.type("end");
  ASSERT_TRUE(terminal_.sees("ended")) << terminal_.seen();
  expect_whole("code", 31);
}

// The line goes away: the program is hung up on, as it would be alone, and what it did is in the recording.
TEST(ClosedTerminal, LeavesAWholeRecording) {
  const TemporaryFolder folder;
  const std::string recording = folder.file("x.swell");
  {
    Terminal terminal;
    terminal.type(std::string(MEMSWELL_BINARY) + " run -q -o " + recording + " -- " + case_path("terminal"));
    ASSERT_TRUE(terminal.sees("working")) << terminal.seen();
  }
  const auto report = report_when_complete(recording);
  EXPECT_EQ(report.at("recording").at("lost_events"), 0);
  EXPECT_EQ(site(report.at("processes").at(0), "keep_site"), kKept);
}

}  // namespace
}  // namespace memswell::tests
