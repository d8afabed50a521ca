// Walks the calling thread's stack. Three ways, all exact (README.md, "Stacks"):
//   step rules      a few nanoseconds a frame, learned once per pc
//   verified join   new frames are walked only until they meet a remembered one whose outer frames are unchanged
//   libunwind       for what no rule can say
#pragma once

#include "thread_state.h"

namespace memswell::probe {

// Where a hook was called from.
struct CallSite {
  std::uintptr_t pc;  // return address into the caller
  std::uintptr_t sp;  // of the caller after the return
  std::uintptr_t bp;
};

// The difference to the thread's last stack of this level, ready to be recorded.
struct StackDifference {
  RememberedStack* stack;
  std::uint32_t level;
  std::uint32_t layout;
  std::uint32_t keep;  // outermost frames that are the same; frames [keep, stack->count) are new
};

// `stack->valid` is 0 until the record is in the ring; then call `sent`.
StackDifference walk_stack(ThreadState& thread, const CallSite& site);

inline void sent(const StackDifference& d) { d.stack->valid = 1; }

// The record could not be written, or another ring must get the whole stack.
inline std::uint32_t whole_stack(StackDifference& d) {
  d.keep = 0;
  return d.stack->count;
}

void end_walk(const StackDifference& d);

#define MEMSWELL_CALL_SITE()                                                                          \
  ::memswell::probe::CallSite {                                                                       \
    reinterpret_cast<std::uintptr_t>(__builtin_return_address(0)),                                    \
        reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0)) + 16,                            \
        *static_cast<const std::uintptr_t*>(__builtin_frame_address(0))                               \
  }

}  // namespace memswell::probe
