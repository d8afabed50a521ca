#include "cli/quantity_arguments.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <optional>
#include <span>

namespace memswell::cli {
namespace {

struct Unit {
  std::string_view name;
  double factor;
};

constexpr double kKibi = 1024;
constexpr double kMebi = kKibi * kKibi;
constexpr double kGibi = kMebi * kKibi;
constexpr double kTebi = kGibi * kKibi;

constexpr Unit kSizeUnits[] = {{"", 1},       {"B", 1},       {"kB", 1e3},    {"KB", 1e3},    {"MB", 1e6},
                               {"GB", 1e9},   {"TB", 1e12},   {"K", kKibi},   {"k", kKibi},   {"KiB", kKibi},
                               {"M", kMebi},  {"MiB", kMebi}, {"G", kGibi},   {"GiB", kGibi}, {"T", kTebi},
                               {"TiB", kTebi}};

constexpr Unit kDurationUnits[] = {{"ns", 1},  {"us", 1e3}, {"ms", 1e6},   {"s", 1e9},
                                   {"min", 6e10}, {"m", 6e10}, {"h", 3.6e12}};

std::optional<std::uint64_t> parse(std::string_view text, std::span<const Unit> units) {
  double number = 0;
  const auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), number, std::chars_format::fixed);
  if (error != std::errc() || !(number >= 0)) return std::nullopt;
  const std::string_view name(rest, static_cast<std::size_t>(text.data() + text.size() - rest));
  for (const Unit& unit : units) {
    if (unit.name != name) continue;
    const double value = std::round(number * unit.factor);
    if (value > 9.2e18) return std::nullopt;
    return static_cast<std::uint64_t>(value);
  }
  return std::nullopt;
}

}  // namespace

Result<Bytes> parse_size(std::string_view text) {
  if (const auto bytes = parse(text, kSizeUnits)) return *bytes;
  return Error{fmt::format("'{}' is not a size; write it like 200MB, 64MiB or 4096", text), ExitCode::usage};
}

Result<Nanoseconds> parse_duration(std::string_view text) {
  if (const auto time = parse(text, kDurationUnits)) return *time;
  return Error{fmt::format("'{}' is not a duration; write it like 20ms, 1.5s or 2min", text), ExitCode::usage};
}

}  // namespace memswell::cli
