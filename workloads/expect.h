// Short names to write expectations with; for the catalogue's own files.
#pragma once

#include "workloads/catalogue.h"

namespace memswell::workloads::expect {

inline constexpr double kKiB = 1024, kMiB = 1024 * 1024, kMB = 1e6, kGB = 1e9;
inline constexpr std::string_view kRss = "rss_bytes", kPeakRss = "peak_rss_bytes", kDirty = "private_dirty_bytes",
                                  kClean = "private_clean_bytes", kVirtual = "virtual_bytes",
                                  kLive = "live_bytes", kHeapUsed = "heap_used_bytes", kHeapFree = "heap_free_bytes";

constexpr Expectation about(std::string_view phase, std::string_view metric, double value, double tolerance) {
  return {phase, metric, Relation::about, value, tolerance};
}
constexpr Expectation exactly(std::string_view phase, std::string_view metric, double value) {
  return {phase, metric, Relation::exactly, value};
}
constexpr Expectation at_most(std::string_view phase, std::string_view metric, double value) {
  return {phase, metric, Relation::at_most, value};
}
constexpr Expectation at_least(std::string_view phase, std::string_view metric, double value) {
  return {phase, metric, Relation::at_least, value};
}
// The same of the growth since phase "base".
constexpr Expectation grew(std::string_view phase, std::string_view metric, double value, double tolerance,
                           Needs needs = Needs::nothing) {
  return {phase, metric, Relation::about, value, tolerance, true, needs};
}
constexpr Expectation grew_at_most(std::string_view phase, std::string_view metric, double value,
                                   Needs needs = Needs::nothing) {
  return {phase, metric, Relation::at_most, value, 0, true, needs};
}
constexpr Expectation grew_at_least(std::string_view phase, std::string_view metric, double value) {
  return {phase, metric, Relation::at_least, value, 0, true};
}

}  // namespace memswell::workloads::expect
