// What a thread keeps: where its ring is, and the stacks it remembers. The struct lies in the region (in the ring's
// walker memory), so that a thread costs the program four words of static TLS and no heap. Only its own thread touches it.
#pragma once

#include <cstdint>

#include "trace/format.h"

namespace memswell::probe {

// A frame as a walk saw it. `pc` was read from [sp − 8]; `bp` from `bp_slot` unless that is 0 (unchanged).
struct Frame {
  std::uintptr_t pc;
  std::uintptr_t sp;  // of the frame when its callee returns = the callee's CFA
  std::uintptr_t bp;
  std::uintptr_t bp_slot;
};

// The part of the current stack that is known to be readable: [low, high).
struct ReadableRange {
  std::uintptr_t low;
  std::uintptr_t high;
  std::uint32_t unmaps;  // the process's unmap counter when it was checked
};

enum class Join : std::uint32_t {
  any = 0,         // new frames may end at any remembered one
  same_leaf = 1,   // frames were cut at max_depth: only the very same stack is the same
  never = 2,       // crosses to another stack, or not walked by rules
};

// The last stack of one nesting level, outermost first, as the recorder knows it (if `valid`).
struct RememberedStack {
  Frame* frames;           // max_depth + 2 entries; [0] may be a mark
  std::uint32_t count;
  std::uint32_t valid;     // 0: being changed, or never sent
  std::uint32_t layout;    // it belongs to this layout
  Join join;
  std::uintptr_t walker;   // sp of the walk in progress; 0: none
  ReadableRange readable;
};

struct ThreadState {
  // Offsets known to append.cpp's assembly.
  std::uint64_t* data;             // 0: words of the ring
  std::uint64_t mask;              // 8
  std::atomic<std::uint64_t>* head;  // 16
  std::uint64_t limit;             // 24: head may grow to here before tail is read again
  void* rseq;                      // 32: this thread's struct rseq, null: not registered

  format::RingSlot* ring;
  std::uintptr_t writing;          // without rseq: sp of an append in progress
  std::uintptr_t hook_sp;          // sp of the outermost hook in progress
  std::uintptr_t asking_sp;        // sp of a question to the allocator in progress (usable_size.h)
  std::uint32_t announced_layout;  // the ring's records belong to this one
  std::uint32_t impatient;         // the recorder did not make room in time: drop without waiting
  std::uint32_t gave_up_snapshots; // the recorder did not answer in time: it is not waited for again
  std::uint64_t stamp;             // the last one, used again while it is fresh (stamp.h)
  std::uint32_t stamp_uses;        // how often it still may be
  std::uint32_t stamp_heartbeat;   // of the recorder when it was taken
  const void* asked_block;         // the last one that usable_size was asked about, where malloc is not the C library's
  RememberedStack stacks[format::kWalkLevels];
};

struct ThreadLocal {
  ThreadState* state;
  std::uint64_t generation;     // of the process image that `state` belongs to
  std::uintptr_t serving;       // sp of a call of ours into the loader: allocations come from the arena
  std::uintptr_t own_free;      // block that an allocator's operator delete is about to free: already recorded
};

extern __thread ThreadLocal thread_local_state;

}  // namespace memswell::probe
