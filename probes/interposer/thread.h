// A thread's ring: claimed at its first event, handed on when the thread has ended, grown when it is too small.
#pragma once

#include "process.h"

namespace memswell::probe {

// The calling thread's state, null if this thread is not recorded (passing through).
ThreadState* claim_thread();

inline ThreadState* current_thread() {
  const std::uint64_t generation = process.wiped == nullptr ? 0 : process.wiped->generation.load(std::memory_order_relaxed);
  ThreadLocal& mine = thread_local_state;
  if (__builtin_expect(generation != 0 && mine.generation == generation, 1)) return mine.state;
  return claim_thread();
}

// The ring is full: a bigger one, or waiting for the recorder. False: the record must be dropped (and was counted).
bool make_room(ThreadState& thread, std::uint64_t words);

// The remembered stacks mean nothing to the recorder any more.
void forget_stacks(ThreadState& thread);

}  // namespace memswell::probe
