/* Libraries that people preload in front of malloc, in one source. None of them but BLOCKS_ON_PAGES is an allocator:
 *   COUNTS           passes each call of the malloc family and each new and delete on to the next definition
 *   SHIFTS           puts a header of its own in front of each block and has no malloc_usable_size
 *   BLOCKS_ON_PAGES  gives each block its own pages, nothing readable before them; no malloc_usable_size either */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stddef.h>
#include <string.h>
#include <sys/mman.h>

#define EXPORT __attribute__((visibility("default")))

#ifdef COUNTS
static long calls;
#define PASS_ON(result, name, parameters, arguments)            \
  EXPORT result name parameters {                               \
    static result(*next) parameters;                            \
    if (!next) next = (result(*) parameters)dlsym(RTLD_NEXT, #name); \
    calls++;                                                    \
    return next arguments;                                      \
  }
PASS_ON(void*, malloc, (size_t size), (size))
PASS_ON(void*, realloc, (void* old, size_t size), (old, size))
PASS_ON(void*, memalign, (size_t alignment, size_t size), (alignment, size))
PASS_ON(void*, aligned_alloc, (size_t alignment, size_t size), (alignment, size))
PASS_ON(int, posix_memalign, (void** out, size_t alignment, size_t size), (out, alignment, size))
PASS_ON(size_t, malloc_usable_size, (void* p), (p))
PASS_ON(void, free, (void* p), (p))
PASS_ON(void*, _Znwm, (size_t size), (size))
PASS_ON(void*, _Znam, (size_t size), (size))
PASS_ON(void, _ZdlPv, (void* p), (p))
PASS_ON(void, _ZdaPv, (void* p), (p))
PASS_ON(void, _ZdlPvm, (void* p, size_t size), (p, size))
EXPORT void* calloc(size_t count, size_t size) { /* out of malloc, as some do */
  void* p = malloc(count * size);
  return p ? memset(p, 0, count * size) : p;
}
#endif

#ifdef SHIFTS
extern void* __libc_malloc(size_t);
extern void __libc_free(void*);
struct header {
  size_t size;
  size_t mark;
};
EXPORT void* malloc(size_t size) {
  struct header* h = __libc_malloc(size + sizeof *h);
  h->size = size;
  h->mark = 0x7ffffffffffffff0ul; /* no size of a block */
  return h + 1;
}
EXPORT void free(void* p) {
  if (p) __libc_free((struct header*)p - 1);
}
EXPORT void* calloc(size_t count, size_t size) { return memset(malloc(count * size), 0, count * size); }
EXPORT void* realloc(void* old, size_t size) {
  void* p = malloc(size);
  if (!old) return p;
  const size_t had = ((struct header*)old - 1)->size;
  memcpy(p, old, had < size ? had : size);
  free(old);
  return p;
}
#endif

#ifdef BLOCKS_ON_PAGES
enum { PAGE = 4096 };
EXPORT void* malloc(size_t size) {
  const size_t bytes = (size + PAGE) / PAGE * PAGE;
  char* p = mmap(NULL, bytes + 2 * PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  mprotect(p + PAGE, bytes, PROT_READ | PROT_WRITE);
  return p + PAGE;
}
EXPORT void free(void* p) { (void)p; }
EXPORT void* calloc(size_t count, size_t size) { return malloc(count * size); }
EXPORT void* realloc(void* old, size_t size) {
  void* p = malloc(size);
  return old ? memcpy(p, old, size < PAGE ? size : PAGE) : p;
}
#endif
