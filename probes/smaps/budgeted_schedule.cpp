#include "probes/smaps/budgeted_schedule.h"

#include <algorithm>

namespace memswell::smaps {

void BudgetedSchedule::record(Nanoseconds begin, Nanoseconds cost) {
  const auto paid_after = static_cast<Nanoseconds>(static_cast<double>(cost) / share_);
  due_ = std::max(due_, begin) + std::max(paid_after, shortest_interval_);
  spent_ += cost;
}

}  // namespace memswell::smaps
