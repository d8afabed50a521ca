#include "cli/command_line.h"

#include <gtest/gtest.h>

#include "base/units.h"

namespace memswell::cli {
namespace {

using Words = std::vector<std::string>;

struct RunLine : ::testing::Test {
  RunLine() {
    line.flag("-q,--quiet", quiet, "silent");
    line.value("-o,--output", "FILE", output, "file");
    line.duration("--interval", interval, "interval");
    line.count("-n,--top", top, "rows");
    line.values("--skip", "REGEX", skip, "functions");
    line.size("--ring-memory", ring_memory, "memory");
    line.choice("--on-full", on_full, {"wait", "drop"}, "what to do");
    line.program(program);
  }

  void expect_parsed(const Words& words) {
    const auto outcome = line.parse(words);
    ASSERT_TRUE(outcome) << outcome.error().sentence;
    EXPECT_EQ(*outcome, CommandLine::Outcome::parsed);
  }

  CommandLine line{{.name = "memswell run",
                    .synopsis = "PROG",
                    .purpose = "Records.",
                    .examples = {"memswell run a", "memswell run b", "memswell run c"}}};
  bool quiet = false;
  std::string output;
  std::string on_full = "wait";
  Nanoseconds interval = 0;
  Bytes ring_memory = 0;
  std::uint64_t top = 10;
  Words skip;
  Words program;
};

TEST_F(RunLine, PassesTheProgramsOwnOptionsUntouched) {
  expect_parsed({"-q", "-o", "X", "--", "prog", "--its", "-own", "args", "--", "-q"});
  EXPECT_TRUE(quiet);
  EXPECT_EQ(output, "X");
  EXPECT_EQ(program, (Words{"prog", "--its", "-own", "args", "--", "-q"}));
}

TEST_F(RunLine, BeginsTheProgramAtTheFirstWordThatIsNoOption) {
  expect_parsed({"prog", "-q", "--output", "Y", "--help"});
  EXPECT_FALSE(quiet);
  EXPECT_EQ(output, "");
  EXPECT_EQ(program, (Words{"prog", "-q", "--output", "Y", "--help"}));
}

TEST_F(RunLine, KeepsEmptyAndBracketedArguments) {
  expect_parsed({"prog", "", "{}", "[a,b]", "%%"});
  EXPECT_EQ(program, (Words{"prog", "", "{}", "[a,b]", "%%"}));
}

TEST_F(RunLine, KnowsValuesThatAreAttachedToTheirOption) {
  expect_parsed({"-qoX", "--interval=5ms", "--on-full", "drop", "prog", "x"});
  EXPECT_TRUE(quiet);
  EXPECT_EQ(output, "X");
  EXPECT_EQ(interval, 5'000'000u);
  EXPECT_EQ(on_full, "drop");
  EXPECT_EQ(program, (Words{"prog", "x"}));
}

TEST_F(RunLine, TakesTheLastOfARepeatedOption) {
  expect_parsed({"-o", "A", "-o", "B", "prog"});
  EXPECT_EQ(output, "B");
}

TEST_F(RunLine, SaysWhatAValueShouldLookLike) {
  const auto outcome = line.parse({"--interval", "fast", "prog"});
  ASSERT_FALSE(outcome);
  EXPECT_EQ(outcome.error().exit_code, ExitCode::usage);
  EXPECT_EQ(outcome.error().sentence, "--interval: " + parse_duration("fast").error().sentence + "; see memswell run --help");
}

TEST_F(RunLine, RefusesValuesThatSayNothing) {
  EXPECT_EQ(line.parse({"-o", "", "prog"}).error().sentence, "--output: its value is empty; see memswell run --help");
  EXPECT_EQ(line.parse({"-n", "0", "prog"}).error().sentence, "--top: 0 would be nothing; give 1 or more; see memswell run --help");
  EXPECT_FALSE(line.parse({"--interval", "0", "prog"}));
  EXPECT_FALSE(line.parse({"--interval", "0ms", "prog"}));
  EXPECT_FALSE(line.parse({"--interval", "1", "prog"})) << "of what?";
  EXPECT_FALSE(line.parse({"--skip", "a", "--skip", "", "prog"}));
}

TEST_F(RunLine, NamesAnUnknownOption) {
  const auto outcome = line.parse({"--no-such", "prog"});
  ASSERT_FALSE(outcome);
  EXPECT_EQ(outcome.error().exit_code, ExitCode::usage);
  EXPECT_NE(outcome.error().sentence.find("--no-such"), std::string::npos);
}

TEST_F(RunLine, ListsTheChoices) {
  const auto outcome = line.parse({"--on-full", "panic", "prog"});
  ASSERT_FALSE(outcome);
  EXPECT_EQ(outcome.error().sentence, "--on-full: 'panic' is none of wait, drop; see memswell run --help");
}

TEST_F(RunLine, WantsAProgram) {
  EXPECT_FALSE(line.parse({"-q"}));
  EXPECT_FALSE(line.parse({"-q", "--"}));
}

TEST_F(RunLine, AsksForHelpOnlyBeforeTheProgram) {
  EXPECT_EQ(*line.parse({"-q", "--help"}), CommandLine::Outcome::help_wanted);
}

TEST_F(RunLine, HelpBeginsWithThreeExamples) {
  EXPECT_EQ(line.help(80).rfind("Examples:\n  memswell run a\n  memswell run b\n  memswell run c\n\nRecords.\n", 0), 0u);
}

TEST(FileLine, TakesSeveralFilesAndRepeatedValues) {
  Words files;
  Words skip;
  CommandLine line({.name = "memswell compare", .synopsis = "FILE …", .purpose = "Compares.", .examples = {}});
  line.positionals("FILE", files, "recordings");
  line.values("--skip", "REGEX", skip, "functions to skip");
  const auto outcome = line.parse({"a.swell", "--skip", "^my_", "b.swell", "--skip", "alloc$"});
  ASSERT_TRUE(outcome) << outcome.error().sentence;
  EXPECT_EQ(files, (Words{"a.swell", "b.swell"}));
  EXPECT_EQ(skip, (Words{"^my_", "alloc$"}));
}

}  // namespace
}  // namespace memswell::cli
