// Holds the truth of a workload against what the catalogue expects of it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "workloads/catalogue.h"
#include "workloads/machine.h"
#include "workloads/truth.h"

namespace memswell::workloads {

enum class Verdict : std::uint8_t { holds, fails, not_applicable };

struct Checked {
  Expectation expected;
  std::optional<double> measured;  // none: the program printed no such figure, which fails
  Verdict verdict = Verdict::fails;
};

std::vector<Checked> check(const Variant& variant, const Truth& truth, const Machine& machine);

// "fill-2 peak_rss_bytes about 310113239 ± 9303397, measured 309215232: holds"
std::string sentence(const Checked& checked);

}  // namespace memswell::workloads
