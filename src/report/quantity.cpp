#include "report/quantity.h"

#include <fmt/format.h>

#include <array>
#include <cmath>

namespace memswell::report {
namespace {

constexpr double kKibi = 1024;

struct Step {
  double unit;
  const char* name;
};

constexpr std::array kSizes = {Step{kKibi * kKibi * kKibi * kKibi, "TiB"}, Step{kKibi * kKibi * kKibi, "GiB"},
                               Step{kKibi * kKibi, "MiB"}, Step{kKibi, "KiB"}};
constexpr std::array kCounts = {Step{1e12, "T"}, Step{1e9, "G"}, Step{1e6, "M"}, Step{1e3, "k"}};

// Takes the larger unit where rounding would print "1024.0 KiB" or "1000.0 k".
template <std::size_t n>
std::string in_steps(double value, const std::array<Step, n>& steps, double base) {
  for (const Step& step : steps) {
    const double scaled = value / step.unit;
    const double rounded_below = std::round(scaled * base * 10) / 10;
    if (scaled >= 1 || rounded_below >= base) return fmt::format("{:.1f} {}", scaled, step.name);
  }
  return {};
}

}  // namespace

std::string size_text(Bytes bytes) {
  const std::string stepped = in_steps(static_cast<double>(bytes), kSizes, kKibi);
  return stepped.empty() ? fmt::format("{} B", bytes) : stepped;
}

std::string signed_size_text(std::int64_t bytes) {
  if (bytes == 0) return "0 B";
  const auto magnitude = bytes < 0 ? 0 - static_cast<Bytes>(bytes) : static_cast<Bytes>(bytes);
  return (bytes < 0 ? "-" : "+") + size_text(magnitude);
}

std::string mebibytes_text(Bytes bytes) {
  const double mebibytes = static_cast<double>(bytes) / (kKibi * kKibi);
  if (bytes != 0 && mebibytes < 0.05) return fmt::format("{:.2g}", mebibytes < 0.001 ? 0.001 : mebibytes);
  return fmt::format("{:.1f}", mebibytes);
}

std::string count_text(std::uint64_t count) {
  std::string digits = std::to_string(count);
  for (std::size_t place = digits.size(); place > 3;) {
    place -= 3;
    digits.insert(place, ",");
  }
  return digits;
}

std::string short_count_text(std::uint64_t count) {
  const std::string stepped = in_steps(static_cast<double>(count), kCounts, 1000);
  return stepped.empty() ? std::to_string(count) : stepped;
}

std::string duration_text(Nanoseconds time) {
  const double seconds = static_cast<double>(time) / 1e9;
  if (seconds < 1e-6) return fmt::format("{} ns", time);
  if (seconds < 1e-3) return fmt::format("{:.0f} us", seconds * 1e6);
  if (seconds < 1) return fmt::format("{:.0f} ms", seconds * 1e3);
  if (seconds < 99.95) return fmt::format("{:.1f} s", seconds);
  const auto whole = static_cast<std::uint64_t>(std::llround(seconds));
  if (whole < 3600) return fmt::format("{} min {:02} s", whole / 60, whole % 60);
  return fmt::format("{} h {:02} min", whole / 3600, whole / 60 % 60);
}

std::string percent_text(std::uint64_t part, std::uint64_t whole) {
  if (whole == 0) return {};
  return fmt::format("{:.0f} %", 100.0 * static_cast<double>(part) / static_cast<double>(whole));
}

}  // namespace memswell::report
