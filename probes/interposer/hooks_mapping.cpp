// Address space that the program maps itself. What the allocator maps goes past these hooks, as it should.
#include <errno.h>
#include <stdarg.h>
#include <sys/mman.h>

#include "export.h"
#include "layout.h"
#include "real_functions.h"
#include "record.h"
#include "release_watch.h"
#include "system_calls.h"

namespace memswell::probe {
namespace {

using format::RecordKind;

bool loader_is_calling() { return thread_local_state.serving != 0 || beginning(); }

void note_unmapping() { process.unmaps.fetch_add(1, std::memory_order_relaxed); }

bool gives_pages_back(int advice) { return advice == MADV_DONTNEED || advice == MADV_FREE || advice == MADV_REMOVE; }

void* mapped_memory(long result) {
  if (result < 0 && result > -4096) {
    errno = static_cast<int>(-result);
    return MAP_FAILED;
  }
  return reinterpret_cast<void*>(result);
}

inline void* map(void* address, std::size_t length, int protection, int flags, int fd, off_t offset, const CallSite& site) {
  if (real.mmap == nullptr) return mapped_memory(system_call(SYS_mmap, as_word(address), static_cast<long>(length), protection, flags, fd, offset));
  ThreadState* t = loader_is_calling() ? nullptr : current_thread();
  if (t == nullptr) return real.mmap(address, length, protection, flags, fd, offset);
  const InHook inside(*t);
  if ((flags & MAP_FIXED) != 0) note_unmapping();
  void* p = real.mmap(address, length, protection, flags, fd, offset);
  if (p != MAP_FAILED) {
    const bool file = (flags & MAP_ANONYMOUS) == 0;
    const std::uint64_t extra = static_cast<std::uint32_t>(protection) |
                                static_cast<std::uint64_t>(static_cast<std::uint32_t>(flags) & 0x7fff'ffff) << 32 |
                                std::uint64_t{file} << 63;
    record_mapping(*t, RecordKind::map, p, length, site, &extra, 1);
  }
  return p;
}

// Both ends: what lies below the old break is the allocator's or the loader's, and no one else tells where it ends.
void record_break(ThreadState& t, const void* before, const void* after, const CallSite& site) {
  const std::uint64_t extra = reinterpret_cast<std::uintptr_t>(before);
  record_mapping(t, RecordKind::heap_break, after, 0, site, &extra, 1);
}

}  // namespace
}  // namespace memswell::probe

using namespace memswell::probe;  // the hooks are C functions

MEMSWELL_EXPORT void* mmap(void* address, std::size_t length, int protection, int flags, int fd, off_t offset) {
  return map(address, length, protection, flags, fd, offset, MEMSWELL_CALL_SITE());
}

MEMSWELL_EXPORT void* mmap64(void* address, std::size_t length, int protection, int flags, int fd, off_t offset) {
  return map(address, length, protection, flags, fd, offset, MEMSWELL_CALL_SITE());
}

MEMSWELL_EXPORT int munmap(void* address, std::size_t length) {
  if (real.munmap == nullptr) find_real_functions();
  ThreadState* t = loader_is_calling() ? nullptr : current_thread();
  if (t == nullptr) return real.munmap(address, length);
  if (length >= kLargeBytes) large_memory_goes(*t, length);
  const InHook inside(*t);
  note_unmapping();
  record_plain_with(*t, RecordKind::unmap, address, length);
  return real.munmap(address, length);
}

MEMSWELL_EXPORT void* mremap(void* address, std::size_t old_length, std::size_t length, int flags, ...) {
  if (real.mremap == nullptr) find_real_functions();
  va_list more;
  va_start(more, flags);
  void* target = (flags & MREMAP_FIXED) != 0 ? va_arg(more, void*) : nullptr;
  va_end(more);
  const CallSite site = MEMSWELL_CALL_SITE();
  ThreadState* t = loader_is_calling() ? nullptr : current_thread();
  if (t == nullptr) return real.mremap(address, old_length, length, flags, target);
  const InHook inside(*t);
  note_unmapping();
  void* p = real.mremap(address, old_length, length, flags, target);
  if (p != MAP_FAILED) {
    const std::uint64_t extra[] = {reinterpret_cast<std::uintptr_t>(address), old_length};
    record_mapping(*t, RecordKind::remap, p, length, site, extra, 2);
  }
  return p;
}

MEMSWELL_EXPORT int madvise(void* address, std::size_t length, int advice) {
  if (real.madvise == nullptr) find_real_functions();
  ThreadState* t = loader_is_calling() ? nullptr : current_thread();
  if (t == nullptr) return real.madvise(address, length, advice);
  if (length >= kLargeBytes && gives_pages_back(advice)) large_memory_empties(*t);
  const InHook inside(*t);
  const int result = real.madvise(address, length, advice);
  if (result == 0) record_plain_with(*t, RecordKind::advise, address, length, static_cast<std::uint64_t>(advice) & 0xff);
  return result;
}

MEMSWELL_EXPORT int brk(void* end) {
  if (real.brk == nullptr) find_real_functions();
  const CallSite site = MEMSWELL_CALL_SITE();
  ThreadState* t = current_thread();
  if (t == nullptr) return real.brk(end);
  const InHook inside(*t);
  void* before = real.sbrk != nullptr ? real.sbrk(0) : end;
  const int result = real.brk(end);
  if (result == 0) record_break(*t, before, end, site);
  return result;
}

MEMSWELL_EXPORT void* sbrk(ssize_t increment) {
  if (real.sbrk == nullptr) find_real_functions();
  const CallSite site = MEMSWELL_CALL_SITE();
  ThreadState* t = current_thread();
  if (t == nullptr || increment == 0) return real.sbrk(increment);
  const InHook inside(*t);
  void* before = real.sbrk(increment);
  if (before != reinterpret_cast<void*>(-1)) record_break(*t, before, static_cast<char*>(before) + increment, site);
  return before;
}
