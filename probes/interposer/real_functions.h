// The functions that the hooks stand in front of: the next definitions in the program, whichever allocator that is.
// Until they are found, and while we call the loader ourselves, allocations come from a small arena of our own.
#pragma once

#include <sys/types.h>

#include <cstddef>

#include "symbol_lookup.h"

namespace memswell::probe {

struct RealFunctions {
  void* (*malloc)(std::size_t);
  void* (*calloc)(std::size_t, std::size_t);
  void* (*realloc)(void*, std::size_t);
  void (*free)(void*);
  void (*free_sized)(void*, std::size_t);
  void (*free_aligned_sized)(void*, std::size_t, std::size_t);
  int (*posix_memalign)(void**, std::size_t, std::size_t);
  void* (*aligned_alloc)(std::size_t, std::size_t);
  void* (*memalign)(std::size_t, std::size_t);
  void* (*valloc)(std::size_t);
  void* (*pvalloc)(std::size_t);
  std::size_t (*malloc_usable_size)(void*);

  void* (*mmap)(void*, std::size_t, int, int, int, off_t);
  int (*munmap)(void*, std::size_t);
  void* (*mremap)(void*, std::size_t, std::size_t, int, ...);
  int (*madvise)(void*, std::size_t, int);
  int (*brk)(void*);
  void* (*sbrk)(ssize_t);

  const link_map* allocator;  // module of malloc
  bool answers_at_once;       // it is the C library's: malloc_usable_size allocates nothing
  bool answers_for_its_own;   // malloc_usable_size comes from the module of malloc
};

extern RealFunctions real;

// Finds them. Idempotent; called before any of them is used.
void find_real_functions();

// One that is needed seldom.
template <class F>
F next_function(const char* name) {
  find_real_functions();
  return reinterpret_cast<F>(find_next(name));
}

// Arena for allocations before that, and of the loader on our behalf. Never freed.
void* arena_allocate(std::size_t size, std::size_t alignment);
bool in_arena(const void* p);
std::size_t arena_size_of(const void* p);

}  // namespace memswell::probe
