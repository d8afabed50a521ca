// malloc and its family, counted: what a workload says about itself comes from here. One thread only; threads keep
// a Tally of their own and add it at the end.
//
// xmalloc, xcalloc, xrealloc and xfree stand outside of the namespace: profilers take functions of these names for
// plumbing and name their caller.
#pragma once

#include <memswell/memswell.h>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>

#include "common/give_up.h"

namespace workload {

struct Tally {
  std::uint64_t calls = 0;            // successful malloc, calloc, realloc
  std::uint64_t requested_bytes = 0;  // the sum of what these asked for
  std::uint64_t frees = 0;
  std::uint64_t live_blocks = 0;
  std::uint64_t live_bytes = 0;       // requested bytes of the live blocks
  std::uint64_t peak_live_bytes = 0;  // since the last phase began

  void allocated(std::size_t bytes, std::uint64_t blocks = 1) {
    calls += blocks;
    live_blocks += blocks;
    requested_bytes += bytes * blocks;
    live_bytes += bytes * blocks;
    if (live_bytes > peak_live_bytes) peak_live_bytes = live_bytes;
  }
  void freed(std::size_t bytes, std::uint64_t blocks = 1) {
    frees += blocks;
    live_blocks -= blocks;
    live_bytes -= bytes * blocks;
  }
};

inline Tally tally;

// GCC and Clang turn malloc followed by memset(0) into calloc, and drop a malloc whose block is only freed: both
// would be another program. After this the compiler knows nothing about `p`.
template <class T>
[[gnu::always_inline]] inline T* keep(T* p) {
  asm volatile("" : "+r"(p) : : "memory");
  return p;
}

inline void* checked(void* p, std::size_t bytes) {
  if (p == nullptr) give_up("malloc", bytes);  // nothing below would be true
  return p;
}

}  // namespace workload

inline void* xmalloc(std::size_t bytes) {
  void* p = workload::checked(workload::keep(std::malloc(bytes)), bytes);
  workload::tally.allocated(bytes);
  return p;
}

inline void* xcalloc(std::size_t bytes) {
  void* p = workload::checked(workload::keep(std::calloc(1, bytes)), bytes);
  workload::tally.allocated(bytes);
  return p;
}

inline void* xrealloc(void* p, std::size_t old_bytes, std::size_t bytes) {
  p = workload::checked(workload::keep(std::realloc(p, bytes)), bytes);
  if (old_bytes != 0) {
    workload::tally.freed(old_bytes);
    --workload::tally.frees;
  }
  workload::tally.allocated(bytes);
  return p;
}

// `bytes` as requested.
inline void xfree(void* p, std::size_t bytes) {
  std::free(workload::keep(p));
  workload::tally.freed(bytes);
}

// A block of such a size that the next one begins at the start of a page: what lies on which page does then not depend on
// what the C library allocated before. The block lives on.
inline void reach_page_start() {
  memswell_find_("memswell_phase");  // alone this fails, and takes its error text from the heap: now, not behind us
  constexpr std::size_t kProbe = 1000;  // so large that no free chunk of the C library serves it: it lies at the top
  void* probe = xmalloc(kProbe);
  const std::size_t next = reinterpret_cast<std::uintptr_t>(probe) + kProbe - 8;  // the chunk behind begins here
  xfree(probe, kProbe);
  xmalloc(2 * 4096 - next % 4096 + 8);
}
