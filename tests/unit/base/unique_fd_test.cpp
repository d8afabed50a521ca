#include "base/unique_fd.h"

#include <fcntl.h>
#include <gtest/gtest.h>

namespace memswell {
namespace {

bool is_open(int fd) { return ::fcntl(fd, F_GETFD) >= 0; }
int open_null() { return ::open("/dev/null", O_RDONLY | O_CLOEXEC); }

TEST(UniqueFd, ClosesAtTheEndOfItsLife) {
  const int raw = open_null();
  { UniqueFd fd(raw); }
  EXPECT_FALSE(is_open(raw));
}

TEST(UniqueFd, MovesWithoutClosing) {
  UniqueFd first(open_null());
  const int raw = first.get();
  UniqueFd second(std::move(first));
  EXPECT_FALSE(first);
  EXPECT_EQ(second.get(), raw);
  EXPECT_TRUE(is_open(raw));
}

TEST(UniqueFd, AssignmentClosesWhatItHeld) {
  UniqueFd fd(open_null());
  const int raw = fd.get();
  fd = UniqueFd();
  EXPECT_FALSE(is_open(raw));
}

TEST(UniqueFd, ReleaseGivesItAway) {
  UniqueFd fd(open_null());
  const int raw = fd.release();
  EXPECT_FALSE(fd);
  EXPECT_TRUE(is_open(raw));
  ::close(raw);
}

}  // namespace
}  // namespace memswell
