// How far an estimate from a sample of the calls may be off.
#pragma once

#include <cstdint>
#include <string>

namespace memswell::report {

// One standard deviation, in the unit of the figure; 0: exact.
std::uint64_t standard_error_of(double variance);

// " ±4 %", behind the figure; empty: exact.
std::string error_text(std::uint64_t value, double variance);

}  // namespace memswell::report
