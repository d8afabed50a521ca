// The tree as text, for tests that hold the code to the rules of the house: which files there are, what they include.
#pragma once

#include <string>
#include <vector>

namespace memswell::tests {

struct Include {
  std::string header;  // as written, without quotes or brackets
  bool angled = false;
  int line = 0;
};

struct SourceFile {
  std::string path;  // from the root of the tree, with forward slashes
  std::string text;
  int lines = 0;
  std::vector<Include> includes;  // C and C++ only
};

// Every text file under `root`, sorted by path; without build trees, version control and installed npm packages.
std::vector<SourceFile> read_tree(const std::string& root);

bool is_c_family(const SourceFile& file);

std::vector<Include> find_includes(const std::string& text);

}  // namespace memswell::tests
