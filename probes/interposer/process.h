// This process image: its mapping of the region, its slot, and the page that tells a forked child from its parent.
#pragma once

#include <atomic>
#include <cstdint>

#include "thread_state.h"
#include "trace/format.h"

namespace memswell::probe {

// A page of its own with MADV_WIPEONFORK: zero in a child, however it was forked (madvise(2), Linux 4.14). Its first
// word is what every hook looks at: 0 = nothing to record here (not begun, switched off, or a fresh child).
struct WipedPage {
  std::atomic<std::uint64_t> generation;  // of this image; never 0 while recording
  std::atomic<std::uint32_t> adopting;    // a thread of the child is claiming a slot, or has
};

class SampledSet;

struct Process {
  WipedPage* wiped;
  format::RunHeader* header;      // start of the region's mapping
  std::uint64_t mapped_bytes;     // may be less than region_bytes
  format::ProcessSlot* slot;
  std::uint32_t slot_index;
  std::uint32_t layout;                        // page + 1 of the current layout, 0: none
  std::atomic<std::uint32_t> modules_changed;  // the loader was at work: next walk begins a new layout
  std::atomic<std::uintptr_t> first_thread;    // thread pointer of the first that came to a hook
  std::atomic<std::uint32_t> several_threads;  // another has come too
  std::atomic<std::uint32_t> unmaps;           // grows when the program gives address space back
  std::atomic<std::uint64_t> large_bytes;       // in large blocks and mappings that live (release_watch.h) …
  std::atomic<std::uint64_t> large_bytes_seen;  // … and when the recorder last looked before one went
  std::atomic<std::uint32_t> sandboxed;        // no system call any more (seccomp)
  std::uintptr_t loader_begin, loader_end;     // ld.so's code
  std::uintptr_t allocator_begin, allocator_end;  // of the module that defines malloc, if it is not the C library
  std::uintptr_t executable_headers;           // of the executable: its program headers (AT_PHDR) …
  std::size_t executable_header_count;         // … and their number
  std::uintptr_t main_stack_end;               // where the initial stack ends
  std::ptrdiff_t rseq_offset;                  // from the thread pointer; 0: glibc did not register
  std::atomic<std::uint64_t> fork_stamp;       // of the fork in progress; what a child begins from
  SampledSet* sampled;                         // recorded blocks that live, when calls are sampled; null: could not be mapped
  std::atomic<std::uint64_t> sample_streams;   // threads that have begun to choose blocks
  std::uint64_t fork_live_bytes;               // live at the fork in progress, when calls are sampled …
  std::uint64_t fork_live_blocks;              // … and how many
  std::uint32_t fork_uncertain;                // hooks of other threads in flight at that fork
  std::atomic<std::uint32_t> off;              // switched off for good
  std::atomic<std::uint64_t> no_ring_before_ms;  // clock_ms() before which waiting for a ring is of no use
  std::atomic<std::uint32_t> gate_passed;      // the gate's value when waiting for it was given up; 0: never
  bool tsc;
};

extern Process process;

// Begins recording in this image: attaches to the region and claims a slot. Called by the first hook, however early,
// and by our constructor; later calls do nothing. Leaves the hooks passing through if it cannot.
void begin_image();

// True while begin_image runs in this thread (allocations are then served from the arena).
bool beginning();

// A hook found itself in a forked child. Gives the child a slot of its own. False: not recorded.
bool adopt_child();

// Switches the hooks off for good (the recorder is gone or has ended).
void switch_off();

// False: it was killed, and nobody will answer, drain or open the gate.
bool recorder_alive();

// CLOCK_MONOTONIC; in a sandbox the time stamp counter stands in for it (3 GHz, as good as needed).
std::uint64_t clock_ms();

void add_own_range(std::uintptr_t begin, std::uintptr_t end);
void set_flag(format::ProcessFlag flag);

}  // namespace memswell::probe
