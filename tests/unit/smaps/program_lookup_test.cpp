#include "probes/smaps/program_lookup.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include "tests/unit/smaps/elf_builder.h"
#include "tests/unit/smaps/temporary_directory.h"

namespace memswell::smaps {
namespace {

using test::build_elf;
using test::TemporaryDirectory;

ScriptLine line(std::string interpreter, std::string argument = "") {
  return {std::move(interpreter), std::move(argument)};
}

TEST(ScriptLine, HasAnInterpreterAndOneArgument) {
  EXPECT_EQ(parse_script_line("#!/bin/sh\necho\n"), line("/bin/sh"));
  EXPECT_EQ(parse_script_line("#! /usr/bin/env  python3 -u \nimport"), line("/usr/bin/env", "python3 -u"));
  EXPECT_EQ(parse_script_line("#!\t/bin/sh\t-e"), line("/bin/sh", "-e"));
}

TEST(ScriptLine, IsNoneWithoutAnInterpreter) {
  EXPECT_FALSE(parse_script_line(""));
  EXPECT_FALSE(parse_script_line("#"));
  EXPECT_FALSE(parse_script_line("#!"));
  EXPECT_FALSE(parse_script_line("#!  \n/bin/sh"));
  EXPECT_FALSE(parse_script_line("/bin/sh"));
}

TEST(ScriptLine, EndsWhereTheKernelStopsReading) {
  const auto parsed = parse_script_line("#!/bin/sh " + std::string(1000, 'x') + "\n");
  ASSERT_TRUE(parsed);
  EXPECT_EQ(parsed->argument.size(), 256 - std::string_view("#!/bin/sh ").size());
}

TEST(ProgramLookup, ANameWithASlashIsThePath) {
  const TemporaryDirectory directory;
  const auto path = directory.write("tool", "", 0755);
  const auto found = find_program(path, "");
  ASSERT_TRUE(found);
  EXPECT_EQ(*found, path);
}

TEST(ProgramLookup, TheFirstDirectoryThatHasItWins) {
  const TemporaryDirectory directory;
  directory.write("two/tool", "", 0755);
  directory.write("three/tool", "", 0755);
  const auto path = directory.path() + "/one:" + directory.path() + "/two:" + directory.path() + "/three";
  const auto found = find_program("tool", path);
  ASSERT_TRUE(found);
  EXPECT_EQ(*found, directory.path() + "/two/tool");
}

TEST(ProgramLookup, AFileThatMayNotBeExecutedIsPassedOver) {
  const TemporaryDirectory directory;
  directory.write("one/tool", "", 0644);
  directory.write("two/tool", "", 0755);
  const auto found = find_program("tool", directory.path() + "/one:" + directory.path() + "/two");
  ASSERT_TRUE(found);
  EXPECT_EQ(*found, directory.path() + "/two/tool");
}

TEST(ProgramLookup, NotFoundAndNotExecutableHaveTheirExitCodes) {
  const TemporaryDirectory directory;
  directory.write("one/tool", "", 0644);
  const auto missing = find_program("no such tool", directory.path());
  const auto forbidden = find_program("tool", directory.path() + "/one");
  const auto a_directory = find_program(directory.path(), "");
  ASSERT_FALSE(missing || forbidden || a_directory);
  EXPECT_EQ(missing.error().exit_code, ExitCode::not_found);
  EXPECT_EQ(forbidden.error().exit_code, ExitCode::not_executable);
  EXPECT_EQ(a_directory.error().exit_code, ExitCode::not_executable);
}

TEST(ProgramLookup, WithoutPathTheSystemsDirectoriesAreSearched) {
  const auto found = find_program("sh", std::nullopt);
  ASSERT_TRUE(found);
  EXPECT_EQ(*found, "/bin/sh");
}

TEST(FollowScripts, AnElfFileIsTheImage) {
  const TemporaryDirectory directory;
  const auto path = directory.write("program", build_elf({}), 0755);
  const auto image = follow_scripts(path);
  ASSERT_TRUE(image);
  EXPECT_EQ(image->path, path);
  EXPECT_TRUE(image->scripts.empty());
}

TEST(FollowScripts, GoesThroughInterpretersThatAreScripts) {
  const TemporaryDirectory directory;
  const auto program = directory.write("program", build_elf({}), 0755);
  const auto inner = directory.write("inner", "#!" + program + "\n", 0755);
  const auto outer = directory.write("outer", "#!" + inner + " -x\n", 0755);
  const auto image = follow_scripts(outer);
  ASSERT_TRUE(image);
  EXPECT_EQ(image->path, program);
  EXPECT_EQ(image->scripts, (std::vector<std::string>{outer, inner}));
}

TEST(FollowScripts, ATextWithoutInterpreterRunsInTheShell) {
  const TemporaryDirectory directory;
  const auto image = follow_scripts(directory.write("text", "echo\n", 0755));
  ASSERT_TRUE(image);
  EXPECT_EQ(image->path, "/bin/sh");
}

TEST(FollowScripts, ACircleOfScriptsEnds) {
  const TemporaryDirectory directory;
  const auto path = directory.path() + "/circle";
  directory.write("circle", "#!" + path + "\n", 0755);
  const auto image = follow_scripts(path);
  ASSERT_FALSE(image);
  EXPECT_EQ(image.error().exit_code, ExitCode::not_executable);
}

}  // namespace
}  // namespace memswell::smaps
