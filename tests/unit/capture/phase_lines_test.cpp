#include "capture/phase_lines.h"

#include <gtest/gtest.h>

namespace memswell::capture {
namespace {

using Names = std::vector<std::string>;

class PhaseLinesTest : public ::testing::Test {
 protected:
  std::regex pattern = *compile_phase_pattern("^@phase (\\S+)");
  PhaseLines lines{pattern};
};

TEST_F(PhaseLinesTest, NamesAPhaseByGroupOne) { EXPECT_EQ(lines.take("@phase load\n"), Names{"load"}); }

TEST_F(PhaseLinesTest, PassesOverOtherLines) { EXPECT_EQ(lines.take("hello\nx @phase no\n"), Names{}); }

TEST_F(PhaseLinesTest, WaitsForTheEndOfALine) {
  EXPECT_EQ(lines.take("@pha"), Names{});
  EXPECT_EQ(lines.take("se lo"), Names{});
  EXPECT_EQ(lines.take("ad\n@phase next\n"), (Names{"load", "next"}));
}

TEST_F(PhaseLinesTest, LooksAtTheBeginningOfALongLine) {
  const std::string endless(200'000, 'x');
  EXPECT_EQ(lines.take(endless), Names{});
  EXPECT_EQ(lines.take("\n@phase after\n"), Names{"after"});
  EXPECT_EQ(lines.take("@phase " + endless + "\n"), Names{std::string(1017, 'x')});
}

// std::regex recurses for each character that such a pattern takes.
TEST(PhasePattern, LongLinesDoNotExhaustTheStack) {
  const std::regex pattern = *compile_phase_pattern("(a|x)*y");
  EXPECT_EQ(PhaseLines(pattern).take(std::string(200'000, 'x') + "\n"), Names{});
}

TEST(PhasePattern, NamesAPhaseByTheWholeMatchWithoutAGroup) {
  const std::regex pattern = *compile_phase_pattern("pass [0-9]+");
  EXPECT_EQ(PhaseLines(pattern).take("now pass 12 begins\n"), Names{"pass 12"});
}

TEST(PhasePattern, MustCompile) {
  const auto pattern = compile_phase_pattern("(");
  ASSERT_FALSE(pattern);
  EXPECT_EQ(pattern.error().exit_code, ExitCode::usage);
}

}  // namespace
}  // namespace memswell::capture
