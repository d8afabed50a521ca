// The stamps that put the events of all threads into one order (format.h, w1).
//
// A time stamp counter takes 20 to 45 ns to read where a hypervisor stands behind it, more than all else that a hook does.
// Order among threads needs it; a program of one thread needs only the order of its ring. So a thread that is alone uses
// its last stamp again, until the recorder's heartbeat has moved (at most 1 ms while events come, 5 ms in pauses) or kMostUses
// events have used it. A second thread says that it is there before it takes its first stamp: whatever follows from an
// event of that thread follows from its word too, and takes a stamp of its own, which is later.
#pragma once

#include "process.h"
#include "system_calls.h"

namespace memswell::probe {

inline constexpr std::uint32_t kMostUses = 32;

// Waits for what is before it: a stamp before the call that it announces must follow the allocation that led to it, one
// after the call must follow the free that made room.
inline std::uint64_t stamp_now() {
  return process.tsc ? read_tsc() : process.header->stamp_counter.fetch_add(1, std::memory_order_relaxed);
}

// For the events that come by the million.
inline std::uint64_t stamp_of_block(ThreadState& t) {
  const std::uint32_t heartbeat = process.header->recorder_heartbeat.load(std::memory_order_relaxed);
  if (__builtin_expect(t.stamp_uses != 0 && t.stamp_heartbeat == heartbeat &&
                           process.several_threads.load(std::memory_order_relaxed) == 0, 1)) {
    --t.stamp_uses;
    return t.stamp;
  }
  t.stamp_heartbeat = heartbeat;
  t.stamp_uses = kMostUses;
  return t.stamp = stamp_now();
}

// For what happens at one moment: a phase begins, a process forks.
inline std::uint64_t fresh_stamp(ThreadState& t) {
  t.stamp_uses = 0;
  return stamp_of_block(t);
}

}  // namespace memswell::probe
