#include "capture/phase_lines.h"

#include <algorithm>

namespace memswell::capture {
namespace {

// Beyond this std::regex, which recurses, may exhaust the stack.
constexpr std::size_t kLongestLine = 1024;

}  // namespace

Result<std::regex> compile_phase_pattern(const std::string& pattern) {
  try {
    return std::regex(pattern, std::regex::ECMAScript | std::regex::optimize);
  } catch (const std::regex_error& error) {
    return Error{"--phase-on " + pattern + ": " + error.what() + ".", ExitCode::usage};
  }
}

std::vector<std::string> PhaseLines::take(std::string_view bytes) {
  std::vector<std::string> names;
  while (!bytes.empty()) {
    const std::size_t end = bytes.find('\n');
    line_ += bytes.substr(0, std::min(end, kLongestLine - line_.size()));
    if (end == std::string_view::npos) break;
    bytes.remove_prefix(end + 1);
    std::smatch match;
    if (std::regex_search(line_, match, pattern_)) names.push_back(match.size() > 1 && match[1].matched ? match[1] : match[0]);
    line_.clear();
  }
  return names;
}

}  // namespace memswell::capture
