// Names that try to act on the terminal, a parser, a browser, a spreadsheet or the reader's eyes: none of them does,
// wherever it stands in a recording and whatever is printed of it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <sstream>

#include "tests/hostile/nasty_recording.h"
#include "tests/hostile/properties.h"
#include "tests/hostile/whole_report.h"

namespace memswell::hostile {
namespace {

using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;

std::map<std::string, std::string> nasty_texts() {
  const auto run = report_of(recording_with(kNasty));
  EXPECT_TRUE(run);
  std::map<std::string, std::string> texts;
  for (Rendering& rendering : renderings_of(*run)) texts[rendering.name] += rendering.content;
  return texts;
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

// Cells of one line (RFC 4180): commas outside of quotes separate them.
std::size_t cells_of(const std::string& line) {
  std::size_t cells = 1;
  bool quoted = false;
  for (const char c : line) {
    if (c == '"') quoted = !quoted;
    if (c == ',' && !quoted) ++cells;
  }
  return cells;
}

void expect_even_table(const std::string& csv) {
  const auto lines = lines_of(csv);
  ASSERT_FALSE(lines.empty());
  for (const std::string& line : lines) EXPECT_EQ(cells_of(line), cells_of(lines[0])) << line;
}

TEST(NastyNames, AreShownInEveryReport) {
  for (const auto& [name, text] : nasty_texts()) EXPECT_FALSE(text.empty()) << name;
  EXPECT_THAT(nasty_texts()["report --stack"], HasSubstr("owned"));
  EXPECT_THAT(nasty_texts()["explain"], HasSubstr("owned"));
  EXPECT_THAT(nasty_texts()["run"], HasSubstr("owned"));
  EXPECT_THAT(nasty_texts()["export folded"], HasSubstr("owned"));
  EXPECT_THAT(nasty_texts()["timeline --per-mapping"], HasSubstr("owned"));
}

TEST(NastyNames, DoNotActWhereverTheyArePrinted) {
  const auto run = report_of(recording_with(kNasty));
  ASSERT_TRUE(run);
  for (const Rendering& rendering : renderings_of(*run)) EXPECT_EQ(harm_in(rendering), "") << rendering.name;
}

TEST(NastyNames, KeepTheirPlaceInTables) {
  expect_even_table(nasty_texts()["export csv"]);
  expect_even_table(nasty_texts()["timeline -f csv"]);
  expect_even_table(nasty_texts()["timeline --per-mapping -f csv"]);
  EXPECT_THAT(nasty_texts()["export csv"], Not(ContainsRegex("(^|,)\"?[=+@-][^0-9]")));  // a formula in a spreadsheet
}

TEST(NastyNames, StayOneFrameInAFoldedStack) {
  for (const std::string& line : lines_of(nasty_texts()["export folded"])) {
    EXPECT_LE(std::count(line.begin(), line.end(), ';'), 13) << line;  // six frames of two levels, and the process
    EXPECT_THAT(line, ContainsRegex(" [0-9]+$"));
  }
}

TEST(NastyNames, StayInTheirLabelInOpenMetrics) {
  for (const std::string& line : lines_of(nasty_texts()["export openmetrics"])) {
    if (line[0] == '#') continue;
    EXPECT_THAT(line, ::testing::MatchesRegex(R"([a-z_]+\{([a-z]+="([^"\]|\\.)*",?)*\} [0-9]+)"));
  }
}

TEST(NastyNames, ComeHarmlessOutOfBinaryFormatsToo) {
  EXPECT_THAT(nasty_texts()["export pprof"], Not(HasSubstr("\x1b]0;")));
  EXPECT_THAT(nasty_texts()["export pprof"], HasSubstr("owned"));
}

}  // namespace
}  // namespace memswell::hostile
