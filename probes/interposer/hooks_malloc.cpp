// The malloc family. Order: an end is stamped and recorded before the real call, a beginning after it; realloc does both.
#include <errno.h>

#include "export.h"
#include "layout.h"
#include "memory.h"
#include "real_functions.h"
#include "record.h"
#include "release_watch.h"
#include "usable_size.h"

namespace memswell::probe {
namespace {

using format::RecordKind;

// Allocations of the loader on our behalf, and of this thread before the real functions are known.
bool served_from_arena() {
  const std::uintptr_t sp = thread_local_state.serving;
  return beginning() || (sp != 0 && reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0)) < sp);
}

// What a hook does when the real functions are not there yet or the arena must serve.
[[gnu::noinline]] void* early_allocate(std::size_t size, std::size_t alignment) {
  void* p = arena_allocate(size, alignment);
  if (p == nullptr) errno = ENOMEM;
  return p;
}

inline bool early() { return __builtin_expect(real.free == nullptr || thread_local_state.serving != 0, 0); }

bool must_serve() {
  if (served_from_arena()) return true;
  if (real.free == nullptr) begin_image();
  return real.free == nullptr;
}

// A library in front of glibc's malloc may make one call of the program out of several of its own (a calloc out of
// malloc, a realloc out of malloc and free): those come back to the hooks, and are no calls of the program.
inline bool is_part_of_call(const ThreadState& t, std::uintptr_t caller) {
  if (__builtin_expect(!in_allocator(caller), 1)) return false;
  const auto sp = reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0));
  return t.ring->in_hook.load(std::memory_order_relaxed) != 0 && sp < t.hook_sp;
}

template <class Call>
inline void* allocate(RecordKind kind, std::size_t size, const CallSite& site, Call call) {
  ThreadState* t = current_thread();
  if (__builtin_expect(t == nullptr, 0) || is_part_of_call(*t, site.pc)) return call();
  const InHook inside(*t);
  void* p = call();
  if (__builtin_expect(p != nullptr, 1)) record_block(*t, kind, p, size, usable_size(*t, p, size), site);
  return p;
}

[[gnu::noinline]] void* realloc_from_arena(void* old, std::size_t size) {
  void* p = must_serve() ? early_allocate(size, 16) : real.malloc(size);
  const std::size_t had = arena_size_of(old);
  if (p != nullptr) copy_bytes(p, old, had < size ? had : size);
  return p;
}

template <class Call>
inline void* reallocate(void* old, std::size_t size, const CallSite& site, Call call) {
  ThreadState* t = current_thread();
  if (__builtin_expect(t == nullptr, 0) || is_part_of_call(*t, site.pc)) return call();
  if (old != nullptr) watch_release(*t, old, size);
  const InHook inside(*t);
  if (old == nullptr) {
    void* p = call();
    if (p != nullptr) record_block(*t, RecordKind::realloc_end, p, size, usable_size(*t, p, size), site, nullptr);
    return p;
  }
  record_plain(*t, size == 0 ? RecordKind::free : RecordKind::realloc_begin, old);
  const int error = errno;
  void* p = call();
  if (p != nullptr) {
    record_block(*t, size == 0 ? RecordKind::malloc : RecordKind::realloc_end, p, size, usable_size(*t, p, size), site, old);
  } else if (size != 0) {
    record_plain(*t, RecordKind::realloc_failed, old);
    return nullptr;
  }
  errno = error;
  return p;
}

template <class Call>
inline void release(void* p, std::uintptr_t caller, Call call) {
  if (p == nullptr) return;
  if (__builtin_expect(in_arena(p), 0)) return;
  // The loader frees what it knew of a module after unmapping it; what it allocates adds modules, which spoils no rule.
  if (__builtin_expect(in_loader(caller), 0)) modules_may_have_changed();
  ThreadState* t = current_thread();
  if (__builtin_expect(t == nullptr, 0) || is_part_of_call(*t, caller)) return call();
  watch_release(*t, p);
  const InHook inside(*t);
  if (__builtin_expect(thread_local_state.own_free != reinterpret_cast<std::uintptr_t>(p), 1)) {
    record_plain(*t, RecordKind::free, p);
  } else {
    thread_local_state.own_free = 0;
  }
  call();
}

std::uintptr_t return_address(const void* p) { return reinterpret_cast<std::uintptr_t>(p); }

}  // namespace
}  // namespace memswell::probe

using namespace memswell::probe;  // the hooks are C functions

MEMSWELL_EXPORT void* malloc(std::size_t size) {
  if (early() && must_serve()) return early_allocate(size, 16);
  return allocate(RecordKind::malloc, size, MEMSWELL_CALL_SITE(), [=] { return real.malloc(size); });
}

MEMSWELL_EXPORT void* calloc(std::size_t count, std::size_t size) {
  std::size_t bytes;
  if (__builtin_mul_overflow(count, size, &bytes)) return errno = ENOMEM, nullptr;
  if (early() && must_serve()) return early_allocate(bytes, 16);
  return allocate(RecordKind::calloc, bytes, MEMSWELL_CALL_SITE(), [=] { return real.calloc(count, size); });
}

MEMSWELL_EXPORT void* realloc(void* old, std::size_t size) {
  if (early() && must_serve()) return old == nullptr ? early_allocate(size, 16) : realloc_from_arena(old, size);
  if (__builtin_expect(in_arena(old), 0)) return realloc_from_arena(old, size);
  return reallocate(old, size, MEMSWELL_CALL_SITE(), [=] { return real.realloc(old, size); });
}

// glibc's reallocarray calls realloc, which would come back to our hook: the same is done here, once.
MEMSWELL_EXPORT void* reallocarray(void* old, std::size_t count, std::size_t size) {
  std::size_t bytes;
  if (__builtin_mul_overflow(count, size, &bytes)) return errno = ENOMEM, nullptr;
  if (early() && must_serve()) return old == nullptr ? early_allocate(bytes, 16) : realloc_from_arena(old, bytes);
  if (__builtin_expect(in_arena(old), 0)) return realloc_from_arena(old, bytes);
  return reallocate(old, bytes, MEMSWELL_CALL_SITE(), [=] { return real.realloc(old, bytes); });
}

MEMSWELL_EXPORT void free(void* p) {
  if (__builtin_expect(real.free == nullptr, 0)) {
    if (p == nullptr || in_arena(p)) return;
    begin_image();
    if (real.free == nullptr) return;
  }
  release(p, return_address(__builtin_return_address(0)), [=] { real.free(p); });
}

MEMSWELL_EXPORT void free_sized(void* p, std::size_t size) {
  if (real.free == nullptr) begin_image();
  release(p, return_address(__builtin_return_address(0)),
          [=] { real.free_sized != nullptr ? real.free_sized(p, size) : real.free(p); });
}

MEMSWELL_EXPORT void free_aligned_sized(void* p, std::size_t alignment, std::size_t size) {
  if (real.free == nullptr) begin_image();
  release(p, return_address(__builtin_return_address(0)),
          [=] { real.free_aligned_sized != nullptr ? real.free_aligned_sized(p, alignment, size) : real.free(p); });
}

MEMSWELL_EXPORT int posix_memalign(void** result, std::size_t alignment, std::size_t size) {
  if (early() && must_serve()) return (*result = early_allocate(size, alignment)) == nullptr ? ENOMEM : 0;
  int error = 0;
  allocate(RecordKind::aligned, size, MEMSWELL_CALL_SITE(), [&]() -> void* {
    error = real.posix_memalign(result, alignment, size);
    return error == 0 ? *result : nullptr;
  });
  return error;
}

MEMSWELL_EXPORT void* aligned_alloc(std::size_t alignment, std::size_t size) {
  if (early() && must_serve()) return early_allocate(size, alignment);
  return allocate(RecordKind::aligned, size, MEMSWELL_CALL_SITE(), [=] { return real.aligned_alloc(alignment, size); });
}

MEMSWELL_EXPORT void* memalign(std::size_t alignment, std::size_t size) {
  if (early() && must_serve()) return early_allocate(size, alignment);
  return allocate(RecordKind::aligned, size, MEMSWELL_CALL_SITE(), [=] { return real.memalign(alignment, size); });
}

MEMSWELL_EXPORT void* valloc(std::size_t size) {
  if (early() && must_serve()) return early_allocate(size, 4096);
  return allocate(RecordKind::aligned, size, MEMSWELL_CALL_SITE(), [=] { return real.valloc(size); });
}

MEMSWELL_EXPORT void* pvalloc(std::size_t size) {
  const std::size_t rounded = (size + 4095) & ~std::size_t{4095};
  if (early() && must_serve()) return early_allocate(rounded, 4096);
  // Whole pages are what it promises, so whole pages are what was asked for.
  return allocate(RecordKind::aligned, rounded, MEMSWELL_CALL_SITE(), [=] { return real.pvalloc(size); });
}

MEMSWELL_EXPORT std::size_t malloc_usable_size(void* p) {
  if (in_arena(p)) return arena_size_of(p);
  if (real.free == nullptr) begin_image();
  return real.malloc_usable_size == nullptr || p == nullptr ? 0 : real.malloc_usable_size(p);
}
