#include "probes/smaps/process_files.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "probes/smaps/stat_parser.h"
#include "tests/unit/smaps/arena_child.h"

namespace memswell::smaps {
namespace {

using test::ArenaChild;

TEST(ProcessFiles, ReadsAFileOfTheProcess) {
  const auto files = ProcessFiles::open(::getpid());
  ASSERT_TRUE(files && *files);
  ReadBuffer buffer;
  const auto text = (*files)->read("stat", buffer);
  ASSERT_TRUE(text && *text);
  const auto stat = parse_stat(**text);
  ASSERT_TRUE(stat);
  EXPECT_EQ(stat->pid, ::getpid());
}

TEST(ProcessFiles, ReadsATextLongerThanItsBuffer) {
  const auto files = ProcessFiles::open(::getpid());
  ReadBuffer buffer;
  const auto smaps = (*files)->read("smaps", buffer);
  ASSERT_TRUE(smaps && *smaps);
  EXPECT_GT((*smaps)->size(), 16u * 1024);
  EXPECT_TRUE((*smaps)->ends_with('\n'));
}

TEST(ProcessFiles, APidWithoutProcessIsGone) {
  const auto files = ProcessFiles::open(0x7fff'fff0);
  ASSERT_TRUE(files);
  EXPECT_FALSE(*files);
}

TEST(ProcessFiles, AfterTheEndEveryReadSaysGone) {
  ArenaChild child({[] {}});
  const auto files = ProcessFiles::open(child.pid());
  child.kill_and_collect();
  ReadBuffer buffer;
  const auto text = (*files)->read("statm", buffer);
  ASSERT_TRUE(text);
  EXPECT_FALSE(*text);
  const auto link = (*files)->read_link("exe");
  ASSERT_TRUE(link);
  EXPECT_FALSE(*link);
}

TEST(ProcessFiles, AZombieHasAnEmptySmaps) {
  ArenaChild child({[] {}});
  const auto files = ProcessFiles::open(child.pid());
  child.kill_and_leave();
  ReadBuffer buffer;
  const auto text = (*files)->read("smaps", buffer);
  ASSERT_TRUE(text);
  EXPECT_TRUE(!*text || (*text)->empty());
}

TEST(ProcessFiles, FollowsTheLivingThreadsWhenTheFirstHasEnded) {
  const ArenaChild child(ArenaChild::FirstThread::ends);
  auto files = ProcessFiles::open(child.pid());
  ReadBuffer buffer;
  const auto first = (*files)->read("statm", buffer);
  ASSERT_TRUE(first && *first);
  EXPECT_EQ(**first, "0 0 0 0 0 0 0\n");
  ASSERT_TRUE((*files)->move_to_living_thread());
  const auto second = (*files)->read("statm", buffer);
  ASSERT_TRUE(second && *second);
  EXPECT_NE(**second, "0 0 0 0 0 0 0\n");
}

TEST(ProcessFiles, ReadsTheExecutable) {
  const auto files = ProcessFiles::open(::getpid());
  const auto link = (*files)->read_link("exe");
  ASSERT_TRUE(link && *link);
  EXPECT_TRUE((*link)->ends_with("/smaps_test")) << **link;
}

TEST(ProcessFiles, AFileOfAnotherKernelIsNotThere) {
  const auto files = ProcessFiles::open(::getpid());
  const auto fd = (*files)->open_file("no_such_file", O_RDONLY);
  ASSERT_TRUE(fd);
  EXPECT_FALSE(*fd);
}

}  // namespace
}  // namespace memswell::smaps
