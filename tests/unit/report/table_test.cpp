#include "report/table.h"

#include <gtest/gtest.h>

namespace memswell::report {
namespace {

TEST(Table, AlignsColumnsAndLeavesNoTrailingSpaces) {
  Table table({{"MiB"}, {"site", Align::left}});
  table.add({"1.5", "a"});
  table.add({"140.3", "parse_object"});
  EXPECT_EQ(table.text({}),
            "  MiB  site\n"
            "  1.5  a\n"
            "140.3  parse_object\n");
}

TEST(Table, KeepsWholeNamesInAFile) {
  Table table({{"site", Align::left, true}});
  table.add({"a_function_with_a_rather_long_name"});
  EXPECT_EQ(table.text({.width = 23}), "site\na_function_with_a_rather_long_name\n");
}

TEST(Table, ShortensTheColumnThatMayGiveWay) {
  Table table({{"n"}, {"site", Align::left, true}});
  table.add({"1", "a_function_with_a_rather_long_name"});
  EXPECT_EQ(table.text({.width = 23, .interactive = true}),
            "n  site\n"
            "1  a_function_with_a_r…\n");
}

TEST(Table, IndentsEveryLine) {
  Table table({{"n"}});
  table.add({"1"});
  EXPECT_EQ(table.text({}, 4), "    n\n    1\n");
}

TEST(Table, ColoursWholeRows) {
  Table table({{"n"}});
  table.add({"1"}, Colour::warning);
  EXPECT_EQ(table.text({.colours = true}), "\x1b[1mn\x1b[0m\n\x1b[33m1\x1b[0m\n");
}

}  // namespace
}  // namespace memswell::report
