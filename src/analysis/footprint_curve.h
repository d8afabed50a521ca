// The footprint as a curve, and the pulses on it: rises that matter, each with its peak and with what follows.
#pragma once

#include <vector>

#include "base/ids.h"

namespace memswell::analysis {

struct CurvePoint {
  Nanoseconds time_ns = 0;
  Bytes bytes = 0;
};

struct PulseShape {
  CurvePoint begin;  // the low before
  CurvePoint peak;
  CurvePoint end;  // the low after, or the last point
};

// Rises and falls below this do not make a pulse of their own: 5 % of the curve's range, but at least 1 MiB.
Bytes pulse_threshold(const std::vector<CurvePoint>& curve);

// At most `limit` pulses: with more, the threshold doubles until they fit. In order of time; the end of one is the
// begin of the next.
std::vector<PulseShape> find_pulses(const std::vector<CurvePoint>& curve, std::size_t limit = 40);

}  // namespace memswell::analysis
