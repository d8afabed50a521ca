// How long the functions of a C or C++ file are: a brace counter over clang-formatted code, not a parser.
// A function is the outermost braced body that is not a namespace, a type, an extern "C" block or an initialiser.
#pragma once

#include <string>
#include <vector>

namespace memswell::tests {

struct FunctionLength {
  std::string head;    // what stands before the body, on one line
  int first_line = 0;  // of the head
  int lines = 0;       // from there to the closing brace
};

std::vector<FunctionLength> function_lengths(const std::string& text);

// The text with comments, literals and preprocessor lines blanked; lines stay where they are.
std::string code_only(const std::string& text);

}  // namespace memswell::tests
