#include "probes/smaps/process_identity.h"

#include <gtest/gtest.h>
#include <poll.h>
#include <unistd.h>

#include "tests/unit/smaps/arena_child.h"

namespace memswell::smaps {
namespace {

using test::ArenaChild;
using Words = std::vector<std::string>;

std::uint64_t start_time(std::int32_t pid) {
  const auto files = ProcessFiles::open(pid);
  const auto identity = identify(**files);
  return identity && *identity ? (*identity)->start_time_ticks : 0;
}

TEST(CommandLine, KeepsEmptyArguments) {
  EXPECT_EQ(parse_command_line(std::string_view("a\0\0b c\0", 7)), (Words{"a", "", "b c"}));
}

TEST(CommandLine, KeepsAnArgumentWithoutItsEnd) {
  EXPECT_EQ(parse_command_line(std::string_view("a\0b", 3)), (Words{"a", "b"}));
  EXPECT_EQ(parse_command_line(""), Words{});
}

TEST(ProcessIdentity, KnowsTheOwnProcess) {
  const auto files = ProcessFiles::open(::getpid());
  const auto identity = identify(**files);
  ASSERT_TRUE(identity && *identity);
  EXPECT_EQ((*identity)->pid, ::getpid());
  EXPECT_EQ((*identity)->ppid, ::getppid());
  EXPECT_EQ((*identity)->comm, "smaps_test");
  EXPECT_TRUE((*identity)->executable.ends_with("/smaps_test"));
  EXPECT_TRUE((*identity)->command.front().ends_with("smaps_test"));
}

TEST(ProcessIdentity, AZombieStillHasItsName) {
  ArenaChild child({[] {}});
  child.kill_and_leave();
  const auto files = ProcessFiles::open(child.pid());
  const auto identity = identify(**files);
  ASSERT_TRUE(identity && *identity);
  EXPECT_EQ((*identity)->comm, "smaps_test");
  EXPECT_EQ((*identity)->executable, "");
  EXPECT_TRUE((*identity)->command.empty());
}

TEST(ProcessIdentity, IsGoneWithTheProcess) {
  ArenaChild child({[] {}});
  const auto files = ProcessFiles::open(child.pid());
  child.kill_and_collect();
  const auto identity = identify(**files);
  ASSERT_TRUE(identity);
  EXPECT_FALSE(*identity);
}

TEST(IsAlive, UntilTheProcessHasEnded) {
  ArenaChild child({[] {}});
  const auto pid = child.pid();
  const auto began = start_time(pid);
  EXPECT_TRUE(is_alive(pid, began));
  EXPECT_TRUE(is_alive(pid, 0));
  child.kill_and_leave();
  EXPECT_FALSE(is_alive(pid, began));
  child.kill_and_collect();
  EXPECT_FALSE(is_alive(pid, 0));
}

TEST(IsAlive, NotForALaterProcessWithTheSamePid) {
  const ArenaChild child({[] {}});
  EXPECT_FALSE(is_alive(child.pid(), start_time(child.pid()) + 1));
}

TEST(IsAlive, WhileAnyThreadLives) {
  const ArenaChild child(ArenaChild::FirstThread::ends);
  EXPECT_TRUE(is_alive(child.pid(), 0));
}

TEST(Pidfd, BecomesReadableAtTheEnd) {
  ArenaChild child({[] {}});
  const auto fd = open_pidfd(child.pid());
  if (!fd) GTEST_SKIP() << "no pidfd_open in this kernel";
  pollfd wait{fd.get(), POLLIN, 0};
  EXPECT_EQ(::poll(&wait, 1, 0), 0);
  child.kill_and_leave();
  EXPECT_EQ(::poll(&wait, 1, 0), 1);
}

TEST(Pidfd, IsNotOpenForAPidWithoutProcess) { EXPECT_FALSE(open_pidfd(0x7fff'fff0)); }

}  // namespace
}  // namespace memswell::smaps
