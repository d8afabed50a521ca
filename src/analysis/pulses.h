// Takes pulses apart: which rows of the ledger and which call sites made the rise, what went in the fall, what stays,
// and how the pulse compares with the one before it.
#pragma once

#include <vector>

#include "analysis/footprint_curve.h"
#include "analysis/model.h"
#include "analysis/site_windows.h"

namespace memswell::analysis {

// Live bytes by site (places in ProcessReport::sites) at moments of the run.
class SiteLevels {
 public:
  // `windows`: with sites already numbered as in the report.
  SiteLevels(const std::vector<Window>& windows, std::size_t sites) : windows_(windows), sites_(sites) {}
  // At the end of the last window that ends at or before `time`.
  std::vector<Bytes> at(Nanoseconds time) const;

 private:
  const std::vector<Window>& windows_;
  std::size_t sites_;
};

std::vector<Pulse> explain_pulses(const std::vector<PulseShape>& shapes, const ProcessReport& process,
                                  const std::vector<Window>& windows);

}  // namespace memswell::analysis
