#include "release_watch.h"

#include "handshake.h"

namespace memswell::probe {

// As often as large memory has grown by a twentieth: a program that takes and gives back the same megabytes asks once.
void large_memory_empties(ThreadState& t) {
  const std::uint64_t now = process.large_bytes.load(std::memory_order_relaxed);
  std::uint64_t asked = process.large_bytes_seen.load(std::memory_order_relaxed);
  if (now <= asked + asked / 20 + kLargeBytes) return;
  if (!process.large_bytes_seen.compare_exchange_strong(asked, now)) return;
  wait_for_snapshot(t);
}

void large_memory_goes(ThreadState& t, std::size_t bytes, std::size_t left) {
  if (left < bytes / 2) large_memory_empties(t);
  std::uint64_t had = process.large_bytes.load(std::memory_order_relaxed);
  while (!process.large_bytes.compare_exchange_weak(had, had < bytes ? 0 : had - bytes)) {}
}

}  // namespace memswell::probe
