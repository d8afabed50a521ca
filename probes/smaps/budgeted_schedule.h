// When may the next costly reading be made, so that all readings together stay within a share of one core?
// A leaky bucket: a reading of cost c keeps the next one away for c / share. Pure: clocks are the caller's.
#pragma once

#include "base/ids.h"

namespace memswell::smaps {

class BudgetedSchedule {
 public:
  // `share` of a core, in (0, 1]; readings never come closer than `shortest_interval`.
  BudgetedSchedule(double share, Nanoseconds shortest_interval)
      : share_(share), shortest_interval_(shortest_interval) {}

  bool is_due(Nanoseconds now) const { return now >= due_; }
  Nanoseconds due() const { return due_; }

  // A reading that began at `begin` took `cost` of processor time. Readings made for other reasons (a phase, a peak)
  // are paid from the same budget: they put the next one off.
  void record(Nanoseconds begin, Nanoseconds cost);

  Nanoseconds spent() const { return spent_; }

 private:
  double share_;
  Nanoseconds shortest_interval_;
  Nanoseconds due_ = 0;
  Nanoseconds spent_ = 0;
};

}  // namespace memswell::smaps
