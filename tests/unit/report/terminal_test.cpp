#include "report/terminal.h"

#include <gtest/gtest.h>

namespace memswell::report {
namespace {

TEST(Terminal, PaintsOnlyWhereColoursAreWanted) {
  EXPECT_EQ(Terminal{.colours = false}.paint(Colour::strong, "x"), "x");
  EXPECT_EQ(Terminal{.colours = true}.paint(Colour::strong, "x"), "\x1b[1mx\x1b[0m");
}

TEST(Terminal, CountsCodePointsNotBytes) { EXPECT_EQ(display_width("Größe"), 5u); }

TEST(Terminal, ShortensBetweenCodePoints) {
  EXPECT_EQ(shortened("Größe", 5), "Größe");
  EXPECT_EQ(shortened("Größe", 4), "Grö…");
  EXPECT_EQ(shortened("Größe", 0), "");
}

TEST(Terminal, WrapsAtSpacesAndIndentsWhatFollows) { EXPECT_EQ(wrapped("one two three four", 9, 2), "one two\n  three\n  four"); }

TEST(Terminal, KeepsTheSpacesThatALineBeginsWith) { EXPECT_EQ(wrapped("   a bb cc", 8, 5), "   a bb\n     cc"); }

TEST(Terminal, LeavesAWordThatIsTooLongWhole) { EXPECT_EQ(wrapped("a unbreakable b", 5, 0), "a\nunbreakable\nb"); }

}  // namespace
}  // namespace memswell::report
