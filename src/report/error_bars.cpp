#include "report/error_bars.h"

#include <fmt/format.h>

#include <cmath>

namespace memswell::report {

std::uint64_t standard_error_of(double variance) {
  return variance <= 0 ? 0 : static_cast<std::uint64_t>(std::llround(std::sqrt(variance)));
}

std::string error_text(std::uint64_t value, double variance) {
  if (variance <= 0 || value == 0) return {};
  const double percent = std::sqrt(variance) / static_cast<double>(value) * 100;
  return percent < 1 ? " ±<1 %" : fmt::format(" ±{:.0f} %", percent);
}

}  // namespace memswell::report
