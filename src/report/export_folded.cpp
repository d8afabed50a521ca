#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "report/exports.h"

namespace memswell::report {

// One line a stack: names joined by ";", a space, the value. Equal stacks are merged, lines sorted.
std::string export_folded(const analysis::RunReport& run, const ExportOptions& options) {
  std::map<std::string, std::uint64_t> folded;
  for (const WeightedStack& stack : weighted_stacks(run, options)) {
    std::string line;
    for (std::string name : stack.names) {
      std::replace(name.begin(), name.end(), ';', ':');  // the separator of the format
      line += (line.empty() ? "" : ";") + name;
    }
    folded[line] += stack.value;
  }
  std::string out;
  for (const auto& [line, value] : folded) out += fmt::format("{} {}\n", line, value);
  return out;
}

}  // namespace memswell::report
