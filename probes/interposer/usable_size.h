// How large a block really is, asked of the allocator. glibc reads its own header; others may have to build something
// before they can answer (tcmalloc makes its MallocExtension with `new`, which comes back to our hooks).
#pragma once

#include <cstdint>

#include "real_functions.h"
#include "thread_state.h"

namespace memswell::probe {

// At least `requested`, which is the answer too where nobody can be asked.
inline std::size_t usable_size(ThreadState& t, void* p, std::size_t requested) {
  if (__builtin_expect(real.answers_at_once, 1)) return real.malloc_usable_size(p);
  const auto sp = reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0));
  const bool asked_already = t.asking_sp != 0 && sp < t.asking_sp;
  if (real.malloc_usable_size == nullptr || asked_already) return requested;
  t.asking_sp = sp;
  const std::size_t usable = real.malloc_usable_size(p);
  t.asking_sp = 0;
  return usable < requested ? requested : usable;  // tcmalloc says 0 until its constructor has run
}

}  // namespace memswell::probe
