// Stacks with names, and what was allocated from them: the part of a report that says WHERE.
// Frames are stored once a recording and shared by all processes; figures are kept per process and stack.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/ids.h"
#include "trace/events.h"

namespace memswell::analysis {

using SiteIndex = Id<struct SiteTag>;  // into ProcessReport::sites, or SiteTable inside the analysis

// One frame as a person reads it. `levels` is never empty: innermost inlined level first; a frame without a name has
// one level with an empty function.
struct NamedFrame {
  trace::Frame frame;
  std::string module;  // path; empty: code outside of any module
  std::vector<trace::SourceFrame> levels;
  bool plumbing = false;  // memory plumbing (malloc, operator new, std::allocator, …), see SiteRule
};

struct StackEntry {
  StackId parent;           // the caller; 0: outermost
  std::uint32_t frame = 0;  // into StackTable::frames
};

struct StackTable {
  std::vector<NamedFrame> frames;  // entry 0 belongs to the empty stack
  std::vector<StackEntry> stacks;  // by StackId; entry 0 is the empty stack and means nothing
};

// What one stack, one site or one process did with its blocks. All sizes are requested bytes unless said.
struct Figures {
  std::uint64_t calls = 0;    // successful allocations; a realloc to a non-zero size counts once
  Bytes allocated_bytes = 0;  // requested by these calls
  std::uint64_t frees = 0;
  std::uint64_t temporary = 0;    // freed by the next event of the same thread
  std::uint64_t live_blocks = 0;  // at exit (or at the end of the recording)
  Bytes live_bytes = 0;           // the same
  Bytes slack_bytes = 0;          // usable − requested of the live ones
  Bytes peak_live_bytes = 0;      // own peak
  Bytes live_at_peak_bytes = 0;   // when the live bytes of the process were at their peak
  std::uint64_t live_at_peak_blocks = 0;
  Bytes slack_at_peak_bytes = 0;
  std::uint64_t reallocs = 0;        // of `calls`, those that replaced a block
  std::uint64_t reallocs_moved = 0;  // of these, those that changed the address
  Bytes realloc_copied_bytes = 0;    // min(old, new) of the moved ones
  std::uint64_t callocs = 0;
  Bytes calloc_bytes = 0;
  // glibc: calls for 128 KiB or more that got a mapping of their own, and those that came out of a heap
  std::uint64_t large_mapped_calls = 0;
  std::uint64_t large_heap_calls = 0;
  // Where only some calls are recorded, the figures above are estimates. Variances of these: 0: exact
  double calls_variance = 0;
  double allocated_variance = 0;
  double live_variance = 0;          // of live_bytes
  double live_at_peak_variance = 0;  // of live_at_peak_bytes
};

// The innermost frame outside of memory plumbing, with everything allocated there.
struct Site {
  std::string function;  // demangled; empty: unknown, then module + offset say where
  std::string file;
  std::uint32_t line = 0;
  std::string module;
  std::uint64_t offset = 0;  // address in the ELF file, as in the recording
  Figures figures;
  Bytes untouched_bytes = 0;          // live, never touched; at the snapshot nearest to the RSS peak
  Bytes untouched_at_exit_bytes = 0;  // at the last snapshot
  Bytes pinned_bytes = 0;             // free bytes on pages that its blocks keep resident; at the last snapshot
  Bytes overallocated_bytes = 0;      // told by memswell_used, at the last snapshot
  Bytes mapped_resident_bytes = 0;    // of the program's own mmap calls here; at the snapshot nearest to the RSS peak
  std::uint64_t growth_steps = 0;     // allocations a little larger (at most 4 times) than the one before here
  Bytes largest_block_bytes = 0;
  StackId example;  // the stack with the most bytes allocated
};

// What a table or a call tree is weighted by.
enum class Cost : std::uint8_t {
  live_at_peak,
  own_peak,
  allocated,
  calls,
  temporary,
  unfreed,
  slack,
};

std::uint64_t cost_of(const Figures& figures, Cost cost);

}  // namespace memswell::analysis
