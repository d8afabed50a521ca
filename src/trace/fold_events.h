// What stands for the oldest part of a recording that was folded (run --max-recording).
//
//   RunInfo FoldBegin … FoldEnd   everything since, event by event
//
// Between the two marks allocations and releases tell of blocks only: which of them live where a snapshot was taken, a process
// forked or the fold ends. Calls are known by their sums over stretches of time, by stack. All other events are as they were,
// but samples and snapshots may have been left out.
#pragma once

#include "trace/events.h"

namespace memswell::trace {

struct FoldBegin {
  Bytes max_bytes = 0;  // --max-recording
};

// From here on every event is in the recording.
struct FoldEnd {
  Nanoseconds time = 0;
  std::uint64_t events = 0;  // allocations and releases that the folded part stands for
  std::uint32_t folds = 0;   // how often the recording was folded
  std::uint64_t samples_left_out = 0;
  std::uint64_t snapshots_left_out = 0;  // readings of smaps and of pages
};

// Sums over the calls of one stack, or of a process, in a stretch of time.
struct FoldedFigures {
  std::uint64_t calls = 0;
  Bytes allocated_bytes = 0;  // requested
  std::uint64_t frees = 0;
  std::uint64_t temporary = 0;
  std::uint64_t reallocs = 0;
  std::uint64_t reallocs_moved = 0;
  Bytes realloc_copied_bytes = 0;
  std::uint64_t callocs = 0;
  Bytes calloc_bytes = 0;
  std::uint64_t large_mapped_calls = 0;
  std::uint64_t large_heap_calls = 0;
  std::uint64_t live_blocks = 0;  // at the end
  Bytes live_bytes = 0;           // requested
  Bytes slack_bytes = 0;          // usable − requested
  Bytes peak_live_bytes = 0;      // the most at any time
  std::uint64_t live_at_peak_blocks = 0;  // where the process had most
  Bytes live_at_peak_bytes = 0;
  Bytes slack_at_peak_bytes = 0;
  // Variances of estimates where calls are sampled: bits of a double, 0 elsewhere.
  std::uint64_t calls_variance = 0;
  std::uint64_t allocated_variance = 0;
  std::uint64_t live_variance = 0;
  std::uint64_t live_at_peak_variance = 0;
};

struct FoldedStack {
  StackId stack;
  FoldedFigures figures;
  std::uint64_t blocks_ended = 0;  // freed, reallocated or replaced
  Bytes ended_bytes = 0;
  std::uint64_t growth_steps = 0;  // allocations larger than the one before, but at most four times
  Bytes last_block_bytes = 0;
  Bytes largest_block_bytes = 0;
};

// A stretch of time of one process, from the one before to here. Stacks that did nothing in it are not listed.
struct FoldedCalls {
  ProcessIndex process;
  Nanoseconds time = 0;
  std::uint64_t live_blocks = 0;  // own and inherited
  Bytes live_bytes = 0;
  Bytes usable_bytes = 0;
  std::uint64_t inherited_live_blocks = 0;
  Bytes inherited_live_bytes = 0;
  Bytes peak_live_bytes = 0;
  std::uint64_t peak_live_blocks = 0;
  Nanoseconds peak_live_ns = 0;
  std::uint64_t replaced = 0;
  std::uint64_t unmatched_frees = 0;
  Bytes largest_returned_mapping_bytes = 0;
  std::vector<std::uint64_t> lifetime_blocks;  // by power of ten of microseconds
  std::vector<Bytes> lifetime_bytes;
  std::uint64_t heap_blocks = 0;  // that were ever allocated, and those of them that do not lie as glibc lays blocks
  std::uint64_t heap_misfits = 0;
  std::vector<std::uint64_t> heap_granules;  // 4 MiB stretches that held a block for the first time: address / 4 MiB · 2 + own mapping
  FoldedFigures own;
  std::vector<FoldedStack> stacks;
};

// What lives here, in sum.
struct FoldedLive {
  ProcessIndex process;
  std::uint64_t live_blocks = 0;
  Bytes live_bytes = 0;
  Bytes usable_bytes = 0;
};

// What a thread was about where the fold ends.
struct FoldedThread {
  ProcessIndex process;
  ThreadIndex thread;
  Address last_allocated = 0;   // its last event was this allocation; 0: another
  Address realloc_address = 0;  // a realloc of this block has begun; 0: none
  Bytes requested = 0;          // of that block
  Bytes usable = 0;
  StackId stack;
  AllocationKind kind = AllocationKind::malloc;
  Nanoseconds time = 0;
  bool inherited = false;
};

}  // namespace memswell::trace
