#include <gtest/gtest.h>
#include <sys/wait.h>

#include <algorithm>
#include <cstdlib>

#include "capture/exit_status.h"
#include "capture/launcher.h"
#include "capture/program_wait.h"

namespace memswell::capture {
namespace {

bool contains(const std::vector<std::string>& all, const std::string& one) {
  return std::find(all.begin(), all.end(), one) != all.end();
}

TEST(ProgramEnvironment, PutsTheProbeBeforeTheUsersOwnLibraries) {
  setenv("LD_PRELOAD", "/opt/libuser.so", 1);
  const auto environment = program_environment({.command = {"x"}, .probe = "/p/libmemswell.so", .region_address = "a:b:c"});
  unsetenv("LD_PRELOAD");
  EXPECT_TRUE(contains(environment, "LD_PRELOAD=/p/libmemswell.so:/opt/libuser.so"));
  EXPECT_TRUE(contains(environment, "MEMSWELL_REGION=a:b:c"));
}

TEST(ProgramEnvironment, IsUntouchedWithoutAProbe) {
  setenv("LD_PRELOAD", "/opt/libuser.so", 1);
  const auto environment = program_environment({.command = {"x"}, .probe = "", .region_address = ""});
  unsetenv("LD_PRELOAD");
  EXPECT_TRUE(contains(environment, "LD_PRELOAD=/opt/libuser.so"));
}

int run(const std::vector<std::string>& command) {
  auto program = PendingProgram::fork_program({.command = command, .probe = "", .region_address = ""});
  EXPECT_TRUE(program);
  EXPECT_TRUE(program->go(command[0]));
  const int status = wait_for_program(program->pid()).wait_status;
  collect_program(program->pid());
  return status;
}

TEST(Launch, GivesTheProgramsExitStatus) {
  EXPECT_EQ(exit_status_of(run({"/bin/sh", "-c", "exit 42"})).code, 42);
}

TEST(Launch, GivesTheProgramsSignal) {
  const ExitStatus status = exit_status_of(run({"/bin/sh", "-c", "kill -TERM $$"}));
  EXPECT_EQ(status.reason, trace::EndReason::signalled);
  EXPECT_EQ(status.signal, SIGTERM);
}

TEST(Launch, SaysThatAProgramDoesNotExist) {
  auto program = PendingProgram::fork_program({.command = {"/no/such/program"}, .probe = "", .region_address = ""});
  const auto started = program->go("/no/such/program");
  ASSERT_FALSE(started);
  EXPECT_EQ(started.error().exit_code, ExitCode::not_found);
}

TEST(Launch, SaysThatAFileIsNotExecutable) {
  auto program = PendingProgram::fork_program({.command = {"/etc/passwd"}, .probe = "", .region_address = ""});
  const auto started = program->go("/etc/passwd");
  ASSERT_FALSE(started);
  EXPECT_EQ(started.error().exit_code, ExitCode::not_executable);
}

TEST(Launch, RunsNothingIfItIsGivenUp) {
  pid_t pid;
  {
    auto program = PendingProgram::fork_program({.command = {"/bin/sh", "-c", "exit 42"}, .probe = "", .region_address = ""});
    pid = program->pid();
  }
  int status = 0;
  ASSERT_EQ(waitpid(pid, &status, 0), pid);
  EXPECT_EQ(WEXITSTATUS(status), 0);
}

TEST(ExitStatus, IsReadOfAZombieThatIsNotOurs) {
  const pid_t pid = fork();
  if (pid == 0) _exit(9);
  siginfo_t info{};
  waitid(P_PID, static_cast<id_t>(pid), &info, WEXITED | WNOWAIT);
  EXPECT_EQ(read_exit_status(UniqueFd(), pid).code, 9);
  waitpid(pid, nullptr, 0);
}

}  // namespace
}  // namespace memswell::capture
