// Holds a process's threads at the door of the hooks while a snapshot is taken (format::ProcessSlot::gate).
//
// A hook sets in_hook and then looks at the gate, with no fence between: the fence is here, membarrier(2) on all CPUs that
// run a registered program. Threads inside of a hook finish it first; threads that run outside go on. A thread that stays
// in its hook (it waits for memory, or was stopped) is not waited for longer than the timeout. A thread in a hook may
// wait for room in its ring: `meanwhile` must go on draining.
#pragma once

#include <functional>

#include "capture/image.h"
#include "capture/region.h"

namespace memswell::capture {

class ClosedGate {
 public:
  ClosedGate(const Region& region, Image& image, Nanoseconds timeout, const std::function<void()>& meanwhile);
  ~ClosedGate();
  ClosedGate(const ClosedGate&) = delete;
  ClosedGate& operator=(const ClosedGate&) = delete;

  // Lets the threads go on; the destructor does so at the latest.
  void open();

  // No thread was inside of a hook when the constructor returned, and none got in before the gate was opened.
  bool is_quiet() const { return quiet_; }
  Nanoseconds closed_for() const;  // until it was opened, or until now

 private:
  const Region& region_;
  format::ProcessSlot* slot_ = nullptr;  // null: not recorded, nothing to hold
  Nanoseconds closed_at_ = 0;
  Nanoseconds opened_at_ = 0;
  bool quiet_ = false;
};

}  // namespace memswell::capture
