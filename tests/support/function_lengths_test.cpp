// The brace counter behind the limit on functions: it must see the long ones and leave tables and types alone.
#include "tests/support/function_lengths.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace memswell::tests {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

std::vector<std::string> measured(const std::string& text) {
  std::vector<std::string> rows;
  for (const FunctionLength& f : function_lengths(text)) {
    rows.push_back(f.head + " @" + std::to_string(f.first_line) + " x" + std::to_string(f.lines));
  }
  return rows;
}

TEST(FunctionLengths, MeasuresFromHeadToClosingBrace) {
  EXPECT_THAT(measured("namespace a {\n\nint f(int x) {\n  if (x) {\n    return 1;\n  }\n  return 2;\n}\n}\n"),
              ElementsAre("int f(int x) @3 x6"));
}

TEST(FunctionLengths, SeesMembersOfTypesAndConstructorsWithInitialisers) {
  EXPECT_THAT(
      measured("struct alignas(64) S {\n  S() : a_{1}, b_{2} {\n    go();\n  }\n  int get() const { return a_; }\n"
               "  int a_;\n  int b_;\n};\n"),
      ElementsAre("S() : a_, b_ @2 x3", "int get() const @5 x1"));
}

TEST(FunctionLengths, IgnoresBracesInCommentsStringsAndDirectives) {
  EXPECT_THAT(measured("#define M(x) { \\\n  x {\n// {\n/* { */\nvoid f() {\n  g(\"{\", '{', R\"(}{)\", 1'000);\n}\n"),
              ElementsAre("void f() @5 x3"));
}

TEST(FunctionLengths, TablesAreNotFunctions) {
  EXPECT_THAT(measured("constexpr Row kRows[] = {\n  {1, 2},\n  {3, 4},\n};\nenum class E { a, b };\n"), IsEmpty());
}

}  // namespace
}  // namespace memswell::tests
