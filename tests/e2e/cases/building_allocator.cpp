// An allocator that builds a part of itself with `new` when it is first asked how large a block is, as tcmalloc does
// before its constructor has run. Blocks lie one behind the other and are never used again.
#include <sys/mman.h>

#include <atomic>
#include <cstddef>
#include <cstring>
#include <new>

namespace {

constexpr std::size_t kHeapBytes = 1ul << 30;
constexpr std::size_t kHeader = 16;

std::atomic<char*> heap{nullptr};
std::atomic<std::size_t> used{0};

char* heap_begin() {
  if (char* begin = heap.load()) return begin;
  void* mapped = mmap(nullptr, kHeapBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  char* none = nullptr;
  heap.compare_exchange_strong(none, static_cast<char*>(mapped));
  return heap.load();
}

void* take(std::size_t size, std::size_t alignment) {
  const std::size_t room = (size + 15) / 16 * 16 + kHeader + alignment;
  const std::size_t at = used.fetch_add(room);
  if (size > kHeapBytes || at + room > kHeapBytes) return nullptr;
  const auto raw = reinterpret_cast<std::size_t>(heap_begin()) + at + kHeader;
  const std::size_t block = (raw + alignment - 1) / alignment * alignment;
  std::memcpy(reinterpret_cast<void*>(block - kHeader), &size, sizeof size);
  return reinterpret_cast<void*>(block);
}

std::size_t size_of(void* p) {
  std::size_t size;
  std::memcpy(&size, static_cast<char*>(p) - kHeader, sizeof size);
  return size;
}

long* extension = nullptr;

}  // namespace

extern "C" {
void* malloc(std::size_t size) { return take(size, 16); }
void* calloc(std::size_t count, std::size_t size) { return take(count * size, 16); }
void free(void*) {}
void* aligned_alloc(std::size_t alignment, std::size_t size) { return take(size, alignment); }
void* memalign(std::size_t alignment, std::size_t size) { return take(size, alignment); }
int posix_memalign(void** out, std::size_t alignment, std::size_t size) {
  *out = take(size, alignment);
  return *out == nullptr ? 12 : 0;
}
void* realloc(void* old, std::size_t size) {
  void* p = take(size, 16);
  if (old != nullptr && p != nullptr) std::memcpy(p, old, size_of(old) < size ? size_of(old) : size);
  return p;
}
std::size_t malloc_usable_size(void* p) {
  if (extension == nullptr) extension = new long(1);
  return p == nullptr ? 0 : size_of(p);
}
}

void* operator new(std::size_t size) { return take(size, 16); }
void* operator new[](std::size_t size) { return take(size, 16); }
void operator delete(void*) noexcept {}
void operator delete[](void*) noexcept {}
void operator delete(void*, std::size_t) noexcept {}
void operator delete[](void*, std::size_t) noexcept {}
