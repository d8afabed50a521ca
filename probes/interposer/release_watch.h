// A large release brings the footprint down at once, perhaps before a sample has seen how high it was. The first such
// release at each new height of large memory waits until the recorder has looked.
#pragma once

#include <cstddef>

#include "thread.h"
#include "usable_size.h"

namespace memswell::probe {

inline constexpr std::size_t kLargeBytes = 1 << 20;

// A block or mapping of that size exists now.
inline void large_memory_made(std::size_t bytes) { process.large_bytes.fetch_add(bytes, std::memory_order_relaxed); }

// It is about to go, but for `left` bytes. Not to be called inside of a hook's guard: it may wait.
void large_memory_goes(ThreadState& thread, std::size_t bytes, std::size_t left = 0);

// Its pages are about to go, the mapping stays.
void large_memory_empties(ThreadState& thread);

// A block is about to end; realloc keeps `left` bytes of it. While nothing large lives, no release needs a look at its size.
inline void watch_release(ThreadState& thread, void* p, std::size_t left = 0) {
  if (__builtin_expect(process.large_bytes.load(std::memory_order_relaxed) == 0, 1)) return;
  const std::size_t bytes = usable_size(thread, p, 0);
  if (bytes >= kLargeBytes) large_memory_goes(thread, bytes, left);
}

}  // namespace memswell::probe
