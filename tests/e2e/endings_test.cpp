// However a program ends, what it did until then is in the recording, and its status is its own.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>
#include <string>

#include "tests/e2e/harness.h"

namespace memswell::tests {
namespace {

constexpr Site kKept{7000, 280000, 7000, 280000};

struct Ending {
  std::string how;
  int exit_code = -1;
  int signal = 0;
};

class Endings : public ::testing::TestWithParam<Ending> {};

TEST_P(Endings, KeepsEveryBlockAndTheStatus) {
  const Recorded r = record_case("endings", {GetParam().how});
  EXPECT_EQ(r.run.exit_code, GetParam().exit_code);
  EXPECT_EQ(r.run.signal, GetParam().signal);
  EXPECT_EQ(r.run.out, "kept 7000\n");
  EXPECT_EQ(site(r, "keep_blocks"), kKept);
}

TEST_P(Endings, TellsTheStatusInTheReport) {
  const Recorded r = record_case("endings", {GetParam().how});
  const auto& exit = r.reports.at(0).at("exit");
  EXPECT_EQ(exit.at("code").is_null() ? -1 : exit.at("code").get<int>(), GetParam().exit_code) << exit;
  EXPECT_EQ(exit.at("signal").is_null() ? 0 : exit.at("signal").get<int>(), GetParam().signal) << exit;
  EXPECT_EQ(r.reports.at(0).at("recording").at("lost_events"), 0);
}

INSTANTIATE_TEST_SUITE_P(
    AllWays, Endings,
    ::testing::Values(Ending{"return", 21}, Ending{"exit", 22}, Ending{"_exit", 23}, Ending{"quick_exit", 24},
                      Ending{"raw", 25}, Ending{"thread", 26}, Ending{"exec", 27}, Ending{"abort", -1, SIGABRT},
                      Ending{"segv", -1, SIGSEGV}, Ending{"sigterm", -1, SIGTERM}, Ending{"sigkill", -1, SIGKILL}),
    [](const auto& one) { return one.param.how == "_exit" ? std::string("fast_exit") : one.param.how; });

TEST(EndingsOfRun, ExecBeginsAnotherProcessEntryOfTheSamePid) {
  const Recorded r = record_case("endings", {"exec"});
  const auto all = processes(r);
  ASSERT_EQ(all.size(), 2U);
  EXPECT_EQ(all[0].at("pid"), all[1].at("pid"));
  EXPECT_EQ(site(all[0], "keep_blocks"), kKept);
  EXPECT_EQ(site(all[1], "keep_blocks"), Site{});
}

TEST(EndingsOfRun, ProgramThatIsNotThereIs127) {
  const Finished f = memswell({"run", "--", "/nonexistent/program"});
  EXPECT_EQ(f.exit_code, 127);
  EXPECT_THAT(f.err, ::testing::HasSubstr("/nonexistent/program"));
}

TEST(EndingsOfRun, FileThatIsNotExecutableIs126) {
  const Finished f = memswell({"run", "--", "/etc/passwd"});
  EXPECT_EQ(f.exit_code, 126);
  EXPECT_THAT(f.err, ::testing::HasSubstr("/etc/passwd"));
}

TEST(EndingsOfRun, OutputThatCannotBeWrittenIs125BeforeTheProgramStarts) {
  const Finished f = memswell({"run", "-o", "/nonexistent/folder/x.swell", "--", "/bin/echo", "ran"});
  EXPECT_EQ(f.exit_code, 125);
  EXPECT_EQ(f.out, "");
  EXPECT_THAT(f.err, ::testing::HasSubstr("/nonexistent/folder"));
}

TEST(EndingsOfRun, WrongUsageIs2) { EXPECT_EQ(memswell({"run", "--no-such-option", "--", "/bin/true"}).exit_code, 2); }

TEST(EndingsOfRun, WhatIsNoRecordingIs3) {
  const Finished f = memswell({"report", "/etc/passwd"});
  EXPECT_EQ(f.exit_code, 3);
  EXPECT_EQ(f.out, "");
}

}  // namespace
}  // namespace memswell::tests
