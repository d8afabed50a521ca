#include "report/escape.h"

#include <gtest/gtest.h>

namespace memswell::report {
namespace {

TEST(Escape, LeavesPrintableTextOfAnyLanguage) {
  EXPECT_EQ(escaped("std::vector<Größe>::push_back(κόσμε, 漢字, 🦀)"), "std::vector<Größe>::push_back(κόσμε, 漢字, 🦀)");
}

TEST(Escape, DisarmsTerminalEscapes) { EXPECT_EQ(escaped("\x1b]0;title\x07"), "\\x1b]0;title\\x07"); }

TEST(Escape, KeepsAReportOnOneLine) { EXPECT_EQ(escaped("a\nb\tc\rd"), "a\\nb\\tc\\rd"); }

TEST(Escape, DisarmsEightBitControls) { EXPECT_EQ(escaped("\xc2\x9b" "31m"), "\\u009b31m"); }

TEST(Escape, DisarmsDirectionalOverrides) { EXPECT_EQ(escaped("a\u202e" "b\u2066"), "a\\u202eb\\u2066"); }

TEST(Escape, ShowsBytesThatAreNotUtf8) { EXPECT_EQ(escaped("caf\xe9 \xff"), "caf\\xe9 \\xff"); }

TEST(Escape, ShowsACutSequence) { EXPECT_EQ(escaped("\xe6\xbc"), "\\xe6\\xbc"); }

TEST(Escape, RejectsOverlongFormsAndSurrogates) {
  EXPECT_EQ(escaped("\xc0\xaf"), "\\xc0\\xaf");
  EXPECT_EQ(escaped("\xed\xa0\x80"), "\\xed\\xa0\\x80");
  EXPECT_EQ(escaped("\xf4\x90\x80\x80"), "\\xf4\\x90\\x80\\x80");
}

TEST(Escape, ShowsANulByte) { EXPECT_EQ(escaped(std::string_view("a\0b", 3)), "a\\x00b"); }

TEST(ValidUtf8, KeepsControlCharactersForTheJsonWriter) { EXPECT_EQ(valid_utf8("a\n\x1b\xff"), "a\n\x1b\\xff"); }

}  // namespace
}  // namespace memswell::report
