#include "real_functions.h"

#include <atomic>
#include <cstdint>

#include "memory.h"
#include "symbol_lookup.h"

namespace memswell::probe {

RealFunctions real;

namespace {

// dlopen of libunwind and its two libraries takes about 12 KiB; early constructors of the program little more.
constexpr std::size_t kArenaBytes = 64 * 1024;
alignas(4096) char arena[kArenaBytes];
std::atomic<std::size_t> arena_used{0};

template <class F>
void find(F& function, const char* name) {
  function = reinterpret_cast<F>(find_next(name));
}

}  // namespace

void* arena_allocate(std::size_t size, std::size_t alignment) {
  if (size > kArenaBytes / 2) return nullptr;
  if (alignment < 16) alignment = 16;
  const std::size_t need = ((size + 15) & ~std::size_t{15}) + 16 + alignment;
  const std::size_t at = arena_used.fetch_add(need, std::memory_order_relaxed);
  if (at + need > kArenaBytes) return nullptr;
  auto block = (reinterpret_cast<std::uintptr_t>(arena) + at + 16 + alignment - 1) & ~(alignment - 1);
  *reinterpret_cast<std::size_t*>(block - 16) = size;
  return reinterpret_cast<void*>(block);
}

bool in_arena(const void* p) {
  return reinterpret_cast<std::uintptr_t>(p) - reinterpret_cast<std::uintptr_t>(arena) < kArenaBytes;
}

std::size_t arena_size_of(const void* p) {
  return *reinterpret_cast<const std::size_t*>(reinterpret_cast<std::uintptr_t>(p) - 16);
}

void find_real_functions() {
  if (real.free != nullptr) return;
  RealFunctions found{};
  found.malloc = reinterpret_cast<decltype(found.malloc)>(find_next("malloc", &found.allocator));
  find(found.calloc, "calloc");
  find(found.realloc, "realloc");
  find(found.free_sized, "free_sized");
  find(found.free_aligned_sized, "free_aligned_sized");
  find(found.posix_memalign, "posix_memalign");
  find(found.aligned_alloc, "aligned_alloc");
  find(found.memalign, "memalign");
  find(found.valloc, "valloc");
  find(found.pvalloc, "pvalloc");
  const link_map* sizes = nullptr;
  found.malloc_usable_size = reinterpret_cast<decltype(found.malloc_usable_size)>(find_next("malloc_usable_size", &sizes));
  find(found.mmap, "mmap");
  find(found.munmap, "munmap");
  find(found.mremap, "mremap");
  find(found.madvise, "madvise");
  find(found.brk, "brk");
  find(found.sbrk, "sbrk");
  find(found.free, "free");
  const link_map* c_library = nullptr;
  find_next("gnu_get_libc_version", &c_library);  // allocators define mmap and sbrk too, but not this
  found.answers_at_once = found.malloc_usable_size != nullptr && found.allocator == c_library;
  found.answers_for_its_own = sizes == found.allocator;
  auto* release = found.free;
  found.free = nullptr;
  real = found;
  asm volatile("" ::: "memory");
  real.free = release;  // last: it tells that the others are there
}

}  // namespace memswell::probe
