// `doctor` as a table: what can be measured here, and what is used where something is missing.
#pragma once

#include <string>
#include <vector>

#include "report/terminal.h"

namespace memswell::report {

enum class AbilityMark { good, missing, neutral };

struct AbilityLine {
  std::string name;
  AbilityMark mark = AbilityMark::neutral;
  std::string found;
  std::string consequence;  // one sentence
};

std::string abilities_text(const std::vector<AbilityLine>& lines, const Terminal& terminal);

}  // namespace memswell::report
