// How large a block really is, asked of the allocator. glibc reads its own header; others may have to build something
// before they can answer (tcmalloc makes its MallocExtension with `new`, which comes back to our hooks), or leave the
// answer to the C library although they shift its blocks, or have made them themselves.
#pragma once

#include <cstdint>

#include "real_functions.h"
#include "thread_state.h"

namespace memswell::probe {

// Where malloc is not the C library's.
std::size_t usable_size_elsewhere(ThreadState& t, void* p, std::size_t requested);

// At least `requested`, which is the answer too where nobody can be asked.
inline std::size_t usable_size(ThreadState& t, void* p, std::size_t requested) {
  if (__builtin_expect(real.answers_at_once, 1)) return real.malloc_usable_size(p);
  return usable_size_elsewhere(t, p, requested);
}

}  // namespace memswell::probe
