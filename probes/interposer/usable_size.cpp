#include "usable_size.h"

#include <atomic>

#include "layout.h"

namespace memswell::probe {
namespace {

constexpr std::uintptr_t kHeaderBytes = 16;       // of a chunk of glibc; the size is its last word
constexpr std::size_t kMostOver = 4096 + 64;      // what glibc ever adds to a request: a page, and what is too small to cut off
constexpr std::uint32_t kTrusted = 64;            // so many chunks in a row are no accident

std::atomic<std::uint32_t> chunks_seen{0};

// The usable size of a chunk of glibc if one may lie here, else 0. Reads the word below the block only: glibc's own
// malloc_usable_size goes on to the chunk behind, which need not be there. On the first bytes of a page that word may
// not be there either, unless blocks are known to be glibc's.
std::size_t chunk_size(const void* p, std::size_t requested) {
  const auto address = reinterpret_cast<std::uintptr_t>(p);
  const bool trusted = chunks_seen.load(std::memory_order_relaxed) >= kTrusted;
  if (address % 16 != 0 || (address % format::kPageBytes < kHeaderBytes && !trusted)) return 0;
  constexpr std::size_t kFlags = 7, kOwnMapping = 2;
  const std::size_t word = static_cast<const std::size_t*>(p)[-1];
  const std::size_t size = word & ~kFlags;
  const std::size_t header = (word & kOwnMapping) != 0 ? kHeaderBytes : kHeaderBytes / 2;
  if (size % 16 != 0 || size < requested + header || size - requested > kMostOver) {
    if (!trusted) chunks_seen.store(0, std::memory_order_relaxed);
    return 0;
  }
  if (!trusted) chunks_seen.fetch_add(1, std::memory_order_relaxed);
  return size - header;
}

}  // namespace

std::size_t usable_size_elsewhere(ThreadState& t, void* p, std::size_t requested) {
  t.asked_block = p;
  if (!real.answers_for_its_own) {
    const std::size_t usable = chunk_size(p, requested);
    return usable < requested ? requested : usable;
  }
  const auto sp = reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0));
  const bool asked_already = t.asking_sp != 0 && sp < t.asking_sp;
  if (real.malloc_usable_size == nullptr || asked_already) return requested;
  t.asking_sp = sp;
  const std::size_t usable = real.malloc_usable_size(p);
  t.asking_sp = 0;
  return usable < requested ? requested : usable;  // tcmalloc says 0 until its constructor has run
}

}  // namespace memswell::probe
