// A large release brings the footprint down at once, perhaps before a sample has seen how high it was. The first such
// release at each new height of large memory waits until the recorder has looked.
#pragma once

#include <cstddef>

#include "thread.h"

namespace memswell::probe {

inline constexpr std::size_t kLargeBytes = 1 << 20;

// A block or mapping of that size exists now.
inline void large_memory_made(std::size_t bytes) { process.large_bytes.fetch_add(bytes, std::memory_order_relaxed); }

// It is about to go. Not to be called inside of a hook's guard: it may wait.
void large_memory_goes(ThreadState& thread, std::size_t bytes);

// Its pages are about to go, the mapping stays.
void large_memory_empties(ThreadState& thread);

// Nothing large lives: no release needs a look at its size.
inline bool large_memory_lives() { return process.large_bytes.load(std::memory_order_relaxed) != 0; }

}  // namespace memswell::probe
