#include "capture/output_file.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>

namespace memswell::capture {
namespace {

std::string temporary_path(const char* name) { return ::testing::TempDir() + name + std::to_string(getpid()); }

TEST(OutputName, IsMadeOfProgramAndPidIfNoneIsGiven) {
  EXPECT_EQ(*expand_output_name("", "/usr/bin/python3", 4711), "memswell.python3.4711.swell");
}

TEST(OutputName, ExpandsPidProgramAndPercent) {
  EXPECT_EQ(*expand_output_name("/tmp/%e-%p-100%%", "./build_index", 12), "/tmp/build_index-12-100%");
}

TEST(OutputName, HoldsNothingThatActsOnATerminal) {
  EXPECT_EQ(*expand_output_name("", "/tmp/a\x1b[2J\nb\xff", 1), "memswell.a_[2J_b_.1.swell");
}

TEST(OutputName, RefusesOtherLetters) {
  const auto name = expand_output_name("%x", "a", 1);
  ASSERT_FALSE(name);
  EXPECT_EQ(name.error().exit_code, ExitCode::usage);
}

TEST(OutputName, RefusesAPercentAtTheEnd) { EXPECT_FALSE(expand_output_name("a%", "a", 1)); }

TEST(OutputFile, IsNeverWrittenOverAnExistingOne) {
  const std::string path = temporary_path("existing");
  std::ofstream(path) << "precious";
  const auto file = create_output_file(path, Overwrite::no);
  ASSERT_FALSE(file);
  EXPECT_NE(file.error().sentence.find("--force"), std::string::npos);
  std::string content;
  std::ifstream(path) >> content;
  EXPECT_EQ(content, "precious");
  unlink(path.c_str());
}

TEST(OutputFile, ReplacesAnExistingOneIfForced) {
  const std::string path = temporary_path("forced");
  std::ofstream(path) << "old";
  EXPECT_TRUE(create_output_file(path, Overwrite::yes));
  EXPECT_EQ(std::ifstream(path).peek(), std::ifstream::traits_type::eof());
  unlink(path.c_str());
}

TEST(OutputFile, SaysWhyItCannotBeMade) {
  const auto file = create_output_file("/no/such/directory/file", Overwrite::no);
  ASSERT_FALSE(file);
  EXPECT_NE(file.error().sentence.find("No such file or directory"), std::string::npos);
}

TEST(OutputFile, MayBeADevice) { EXPECT_TRUE(create_output_file("/dev/null", Overwrite::no)); }

}  // namespace
}  // namespace memswell::capture
