#include "base/units.h"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <cmath>

namespace memswell {
namespace {

struct Unit {
  std::string_view name;
  double factor;
};

constexpr std::array kByteUnits = {Unit{"KiB", 0x1p10}, Unit{"MiB", 0x1p20}, Unit{"GiB", 0x1p30},
                                   Unit{"TiB", 0x1p40}, Unit{"PiB", 0x1p50}, Unit{"EiB", 0x1p60}};

constexpr std::array kByteSuffixes = {
    Unit{"", 1},         Unit{"b", 1},       Unit{"k", 0x1p10},   Unit{"kb", 0x1p10},  Unit{"kib", 0x1p10},
    Unit{"m", 0x1p20},   Unit{"mb", 0x1p20}, Unit{"mib", 0x1p20}, Unit{"g", 0x1p30},   Unit{"gb", 0x1p30},
    Unit{"gib", 0x1p30}, Unit{"t", 0x1p40},  Unit{"tb", 0x1p40},  Unit{"tib", 0x1p40},
};

constexpr std::array kTimeSuffixes = {Unit{"ns", 1},   Unit{"us", 1e3},
                                      Unit{"µs", 1e3},   Unit{"ms", 1e6}, Unit{"s", 1e9},
                                      Unit{"min", 6e10}, Unit{"m", 6e10}, Unit{"h", 3.6e12}};

constexpr std::array kCountUnits = {Unit{"k", 1e3},  Unit{"M", 1e6},  Unit{"G", 1e9},
                                    Unit{"T", 1e12}, Unit{"P", 1e15}, Unit{"E", 1e18}};

std::string lower(std::string_view text) {
  std::string result(text);
  for (char& c : result) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return result;
}

std::string_view without_spaces(std::string_view text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  return text;
}

// A non-negative decimal number followed by one of the suffixes, as a whole number of the smallest unit.
template <class Suffixes>
bool parse_quantity(std::string_view text, const Suffixes& suffixes, std::uint64_t& result) {
  text = without_spaces(text);
  if (text.empty() || text.front() < '0' || text.front() > '9') return false;
  double number = 0;
  const auto [rest, code] = std::from_chars(text.data(), text.data() + text.size(), number, std::chars_format::fixed);
  if (code != std::errc()) return false;
  const std::string suffix = lower(without_spaces({rest, static_cast<std::size_t>(text.data() + text.size() - rest)}));
  for (const Unit& unit : suffixes) {
    if (suffix != unit.name) continue;
    const double value = std::round(number * unit.factor);
    if (!(value < 0x1p63)) return false;
    result = static_cast<std::uint64_t>(value);
    return true;
  }
  return false;
}

// The first unit in which the number stays below `step` after rounding to one decimal.
template <class Units>
std::string scaled(double number, const Units& units, double step) {
  for (const Unit& unit : units) {
    const double value = std::round(number / unit.factor * 10) / 10;
    if (value < step || &unit == &units.back()) return fmt::format("{:.1f} {}", value, unit.name);
  }
  return {};
}

}  // namespace

std::string format_bytes(Bytes bytes) {
  if (bytes < 1024) return fmt::format("{} B", bytes);
  return scaled(static_cast<double>(bytes), kByteUnits, 1024);
}

std::string format_signed_bytes(std::int64_t bytes) {
  const auto magnitude = bytes < 0 ? 0 - static_cast<std::uint64_t>(bytes) : static_cast<std::uint64_t>(bytes);
  return (bytes < 0 ? "-" : "+") + format_bytes(magnitude);
}

std::string format_mib(Bytes bytes) {
  const auto tenths = static_cast<std::uint64_t>(std::llround(static_cast<double>(bytes) / 0x1p20 * 10));
  return fmt::format("{}.{}", format_count(tenths / 10), tenths % 10);
}

std::string format_duration(Nanoseconds time) {
  const auto seconds = static_cast<std::uint64_t>(std::llround(static_cast<double>(time) / 1e9));
  if (seconds >= 3600) return fmt::format("{} h {:02} min", seconds / 3600, seconds % 3600 / 60);
  if (seconds >= 60) return fmt::format("{} min {:02} s", seconds / 60, seconds % 60);
  if (time >= 999'500'000) return fmt::format("{:.1f} s", static_cast<double>(time) / 1e9);
  if (time >= 999'500) return fmt::format("{:.0f} ms", static_cast<double>(time) / 1e6);
  if (time >= 1000) return fmt::format("{:.0f} µs", static_cast<double>(time) / 1e3);
  return fmt::format("{} ns", time);
}

std::string format_count(std::uint64_t count) {
  std::string digits = fmt::format("{}", count);
  for (std::size_t left = digits.size(); left > 3;) digits.insert(left -= 3, ",");
  return digits;
}

std::string format_short_count(std::uint64_t count) {
  if (count < 1000) return fmt::format("{}", count);
  return scaled(static_cast<double>(count), kCountUnits, 1000);
}

std::string format_percent(std::uint64_t part, std::uint64_t whole) {
  if (part == 0 || whole == 0) return "0 %";
  const double percent = static_cast<double>(part) / static_cast<double>(whole) * 100;
  return percent < 0.5 ? "<1 %" : fmt::format("{:.0f} %", percent);
}

Result<Bytes> parse_bytes(std::string_view text) {
  Bytes bytes = 0;
  if (parse_quantity(text, kByteSuffixes, bytes)) return bytes;
  return Error{fmt::format("\"{}\" is not a size: give a number with B, KiB, MiB or GiB, like 200MiB", text),
               ExitCode::usage};
}

Result<Nanoseconds> parse_duration(std::string_view text) {
  Nanoseconds time = 0;
  if (parse_quantity(text, kTimeSuffixes, time)) return time;
  return Error{fmt::format("\"{}\" is not a duration: give a number and its unit, ns, us, ms, s, min or h, like 20ms", text),
               ExitCode::usage};
}

}  // namespace memswell
