#include "probes/smaps/settings.h"

#include <gtest/gtest.h>

#include <cstdlib>

#include "tests/unit/smaps/temporary_directory.h"

namespace memswell::smaps {
namespace {

TEST(Settings, AreTextsWithoutTheirLastNewline) {
  const test::TemporaryDirectory directory;
  EXPECT_EQ(read_setting(directory.write("one", "tsc\n")), "tsc");
  EXPECT_EQ(read_setting(directory.write("two", "a\nb\n")), "a\nb");
  EXPECT_EQ(read_setting(directory.path() + "/none"), std::nullopt);
}

TEST(Settings, TheChosenOneIsInBrackets) {
  EXPECT_EQ(chosen_in_brackets("always [madvise] never"), "madvise");
  EXPECT_EQ(chosen_in_brackets("always"), "always");
  EXPECT_EQ(chosen_in_brackets("]["), "][");
  EXPECT_EQ(chosen_in_brackets(""), "");
}

TEST(Settings, SwitchesAreOffWhenUnsetEmptyOrZero) {
  ::unsetenv("MEMSWELL_TEST_SWITCH");
  EXPECT_FALSE(is_switched_on("MEMSWELL_TEST_SWITCH"));
  ::setenv("MEMSWELL_TEST_SWITCH", "", 1);
  EXPECT_FALSE(is_switched_on("MEMSWELL_TEST_SWITCH"));
  ::setenv("MEMSWELL_TEST_SWITCH", "0", 1);
  EXPECT_FALSE(is_switched_on("MEMSWELL_TEST_SWITCH"));
  ::setenv("MEMSWELL_TEST_SWITCH", "1", 1);
  EXPECT_TRUE(is_switched_on("MEMSWELL_TEST_SWITCH"));
  ::unsetenv("MEMSWELL_TEST_SWITCH");
}

TEST(Settings, FindsTheCLibrary) {
  EXPECT_TRUE(find_library("libc.so.6"));
  EXPECT_FALSE(find_library("libno_such_library.so.1"));
}

}  // namespace
}  // namespace memswell::smaps
