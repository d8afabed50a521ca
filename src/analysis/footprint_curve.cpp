#include "analysis/footprint_curve.h"

#include <algorithm>

namespace memswell::analysis {
namespace {

constexpr Bytes kLeastPulse = Bytes{1} << 20;
constexpr Bytes kShareOfRange = 20;  // 5 %

// Zigzag: a turn is real when the curve has gone back by `threshold` from its last extreme.
std::vector<PulseShape> zigzag(const std::vector<CurvePoint>& curve, Bytes threshold) {
  std::vector<PulseShape> pulses;
  if (curve.empty()) return pulses;
  CurvePoint low = curve.front();
  CurvePoint high = curve.front();
  bool rising = false;
  for (const CurvePoint& point : curve) {
    if (rising) {
      if (point.bytes > high.bytes) high = point;
      if (high.bytes - point.bytes < threshold) continue;
      if (point.bytes > high.bytes) continue;
      pulses.push_back({low, high, point});
      rising = false;
      low = point;
    } else {
      if (point.bytes <= low.bytes) {
        low = point;
        if (!pulses.empty()) pulses.back().end = low;  // still falling
      } else if (point.bytes - low.bytes >= threshold) {
        rising = true;
        high = point;
      }
    }
  }
  if (rising) pulses.push_back({low, high, curve.back()});
  return pulses;
}

// A peak is a plateau more often than a point: it was reached when the curve came within 1 % of it.
void move_to_begin_of_plateau(const std::vector<CurvePoint>& curve, PulseShape& pulse) {
  auto at = std::lower_bound(curve.begin(), curve.end(), pulse.begin.time_ns,
                             [](const CurvePoint& point, Nanoseconds time) { return point.time_ns < time; });
  for (; at != curve.end() && at->time_ns < pulse.peak.time_ns; ++at) {
    if (at->bytes >= pulse.peak.bytes - pulse.peak.bytes / 100) {
      pulse.peak.time_ns = at->time_ns;
      return;
    }
  }
}

}  // namespace

Bytes pulse_threshold(const std::vector<CurvePoint>& curve) {
  if (curve.empty()) return kLeastPulse;
  const auto [low, high] = std::minmax_element(
      curve.begin(), curve.end(), [](const CurvePoint& a, const CurvePoint& b) { return a.bytes < b.bytes; });
  return std::max(kLeastPulse, (high->bytes - low->bytes) / kShareOfRange);
}

std::vector<PulseShape> find_pulses(const std::vector<CurvePoint>& curve, std::size_t limit) {
  Bytes threshold = pulse_threshold(curve);
  std::vector<PulseShape> pulses = zigzag(curve, threshold);
  while (pulses.size() > limit) pulses = zigzag(curve, threshold *= 2);
  for (PulseShape& pulse : pulses) move_to_begin_of_plateau(curve, pulse);
  return pulses;
}

}  // namespace memswell::analysis
