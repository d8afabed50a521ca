#include "capture/ring.h"

#include "capture/futex.h"

namespace memswell::capture {

void release_read_words(Ring& ring) {
  if (ring.released != ring.position) {
    ring.slot->tail.store(ring.position, std::memory_order_release);
    ring.released = ring.position;
  }
  // The thread sets `waiting` and then looks at `tail` once more; with this fence one of the two sees the other.
  std::atomic_thread_fence(std::memory_order_seq_cst);
  if (ring.slot->waiting.load(std::memory_order_relaxed) == 0) return;
  ring.slot->wake.fetch_add(1, std::memory_order_release);
  wake_all(ring.slot->wake);
}

}  // namespace memswell::capture
