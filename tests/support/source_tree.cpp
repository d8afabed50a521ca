#include "tests/support/source_tree.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <regex>
#include <sstream>

namespace memswell::tests {
namespace {

namespace fs = std::filesystem;

constexpr std::array kSkippedFolders = {"build", ".git", "node_modules", ".cache"};

bool is_skipped(const fs::path& folder) {
  const std::string name = folder.filename().string();
  return std::find(kSkippedFolders.begin(), kSkippedFolders.end(), name) != kSkippedFolders.end();
}

SourceFile read_file(const fs::path& path, const fs::path& root) {
  std::ifstream in(path, std::ios::binary);
  SourceFile file;
  file.path = fs::relative(path, root).generic_string();
  file.text.assign(std::istreambuf_iterator<char>(in), {});
  file.lines = static_cast<int>(std::count(file.text.begin(), file.text.end(), '\n'));
  if (is_c_family(file)) file.includes = find_includes(file.text);
  return file;
}

}  // namespace

bool is_c_family(const SourceFile& file) {
  const std::string extension = fs::path(file.path).extension().string();
  return extension == ".h" || extension == ".cpp" || extension == ".c" || extension == ".cc";
}

std::vector<Include> find_includes(const std::string& text) {
  static const std::regex kInclude(R"(^\s*#\s*include\s*(["<])([^">]+)[">].*)");
  std::vector<Include> includes;
  std::istringstream lines(text);
  int number = 0;
  for (std::string line; std::getline(lines, line);) {
    ++number;
    std::smatch match;
    if (line.find("include") == std::string::npos || !std::regex_match(line, match, kInclude)) continue;
    includes.push_back({match[2].str(), match[1].str() == "<", number});
  }
  return includes;
}

std::vector<SourceFile> read_tree(const std::string& root) {
  std::vector<SourceFile> files;
  for (fs::recursive_directory_iterator it(root), end; it != end; ++it) {
    if (it->is_directory()) {
      if (is_skipped(it->path())) it.disable_recursion_pending();
      continue;
    }
    if (!it->is_regular_file() || it->path().filename() == ".git") continue;
    SourceFile file = read_file(it->path(), root);
    if (file.text.find('\0') == std::string::npos) files.push_back(std::move(file));
  }
  std::sort(files.begin(), files.end(), [](const auto& a, const auto& b) { return a.path < b.path; });
  return files;
}

}  // namespace memswell::tests
