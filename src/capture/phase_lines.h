// Finds the lines of the program's output that begin a phase (--phase-on REGEX).
#pragma once

#include <regex>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace memswell::capture {

// ECMAScript; group 1 names the phase, without one the whole match does. Error: ExitCode::usage.
Result<std::regex> compile_phase_pattern(const std::string& pattern);

// One stream of output. Bytes may come in any pieces; of a line its first 1024 are looked at.
class PhaseLines {
 public:
  explicit PhaseLines(const std::regex& pattern) : pattern_(pattern) {}

  // Names of the phases that begin with the lines ended by `bytes`, in order.
  std::vector<std::string> take(std::string_view bytes);

 private:
  const std::regex& pattern_;
  std::string line_;
};

}  // namespace memswell::capture
