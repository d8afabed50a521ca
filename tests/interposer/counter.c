/* libcounter.so: an independent counter of the malloc family, to be preloaded behind the interposer.
 *
 * It shares no idea with the interposer: no rings, no stacks, no events; atomic sums and one table of live blocks.
 * A call is a successful malloc, calloc, realloc that returns a block (it also ends the old one), or memalign-family
 * call. operator new of the C++ library arrives here as malloc. It works before main and before environ is set up,
 * in any thread, across fork (the child counts for itself), and in a vfork child (which counts for its parent,
 * whose memory it uses). It keeps no descriptor and uses no thread-local storage.
 */
#define _GNU_SOURCE
#include "counter_layout.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

_Static_assert(sizeof(struct counter_record) <= COUNTER_RECORD_BYTES, "records lie side by side");

/* --------------------------------------------------------------------------------------- the record in use */

static struct counter_record nowhere; /* no file named: the counts go here and are lost */
static char* file_pages;
static _Atomic(struct counter_record*) record = &nowhere;
/* A page that the kernel empties in a forked child: 0 there means that this image has no record of its own yet. */
static _Atomic(uint32_t)* image_mark;
static uint32_t generation; /* forks between the first image and this one */

static void add(uint64_t* sum, uint64_t n) { __atomic_fetch_add(sum, n, __ATOMIC_RELAXED); }
static void shift(int64_t* sum, int64_t n) { __atomic_fetch_add(sum, n, __ATOMIC_RELAXED); }

static void claim_record(void) {
  if (!file_pages) return;
  struct counter_header* header = (struct counter_header*)file_pages;
  uint32_t n = __atomic_fetch_add(&header->claimed, 1, __ATOMIC_RELAXED);
  if (n >= COUNTER_RECORDS) return;
  struct counter_record* mine = (struct counter_record*)(file_pages + (n + 1) * COUNTER_RECORD_BYTES);
  mine->ppid = (int32_t)syscall(SYS_getppid);
  syscall(SYS_readlink, "/proc/self/exe", mine->executable, sizeof mine->executable - 1);
  mine->pid = (int32_t)syscall(SYS_getpid);
  atomic_store(&record, mine);
}

/* environ may not be there yet, and the program may have emptied it: the kernel's copy is asked. */
static int find_file_name(char* name, size_t capacity) {
  static const char key[] = COUNTER_FILE_VARIABLE "=";
  int fd = (int)syscall(SYS_openat, AT_FDCWD, "/proc/self/environ", O_RDONLY | O_CLOEXEC);
  if (fd < 0) return 0;
  size_t matched = 0, length = 0;
  int mismatch = 0, done = 0;
  char buffer[1024];
  for (long n; !done && (n = syscall(SYS_read, fd, buffer, sizeof buffer)) > 0;) {
    for (long i = 0; i < n && !done; i++) {
      char c = buffer[i];
      if (matched == sizeof key - 1) {
        if (length < capacity) name[length++] = c;
        done = c == 0;
      } else if (c == 0) {
        matched = 0, mismatch = 0;
      } else if (!mismatch && c == key[matched]) {
        matched++;
      } else {
        mismatch = 1;
      }
    }
  }
  syscall(SYS_close, fd);
  return done && length > 1;
}

static void* pages(size_t bytes, int flags, int fd) {
  void* p = (void*)syscall(SYS_mmap, NULL, bytes, PROT_READ | PROT_WRITE, flags, fd, 0L);
  return p == MAP_FAILED ? NULL : p;
}

static void open_file(void) {
  char name[512];
  if (!find_file_name(name, sizeof name)) return;
  int fd = (int)syscall(SYS_openat, AT_FDCWD, name, O_RDWR | O_CLOEXEC);
  if (fd < 0) return;
  file_pages = pages(COUNTER_FILE_BYTES, MAP_SHARED, fd);
  syscall(SYS_close, fd);
}

/* ------------------------------------------------------------------------------------------- live blocks */

/* Open addressing without locks: an address has one owner at a time, so only the places are fought for. */
struct live_slot {
  _Atomic(uintptr_t) address; /* 0: never used; REMOVED: used before */
  uint64_t size_and_generation;
};
#define TABLE_LOG2 21
#define TABLE_SLOTS ((size_t)1 << TABLE_LOG2)
#define REMOVED ((uintptr_t)1)
#define GENERATION_SHIFT 48
static struct live_slot* table;
static _Atomic(size_t) longest_way; /* of any insertion: a search need not go further */

static size_t first_place(uintptr_t address) { return (address >> 4) & (TABLE_SLOTS - 1); }

static void insert_block(void* block, uint64_t size_and_generation) {
  uintptr_t address = (uintptr_t)block;
  for (size_t way = 0; table && way < TABLE_SLOTS; way++) {
    struct live_slot* slot = &table[(first_place(address) + way) & (TABLE_SLOTS - 1)];
    uintptr_t found = atomic_load_explicit(&slot->address, memory_order_relaxed);
    if (found > REMOVED || !atomic_compare_exchange_strong(&slot->address, &found, address)) continue;
    slot->size_and_generation = size_and_generation;
    size_t longest = atomic_load(&longest_way);
    while (way > longest && !atomic_compare_exchange_weak(&longest_way, &longest, way)) {
    }
    return;
  }
  add(&atomic_load(&record)->overflows, 1);
}

/* Returns 0 if the address is not in the table. */
static int remove_block(void* block, uint64_t* size_and_generation) {
  uintptr_t address = (uintptr_t)block;
  size_t longest = atomic_load(&longest_way);
  for (size_t way = 0; table && way <= longest; way++) {
    struct live_slot* slot = &table[(first_place(address) + way) & (TABLE_SLOTS - 1)];
    uintptr_t found = atomic_load_explicit(&slot->address, memory_order_relaxed);
    if (found == 0) return 0;
    if (found != address) continue;
    *size_and_generation = slot->size_and_generation;
    atomic_store(&slot->address, REMOVED);
    return 1;
  }
  return 0;
}

/* --------------------------------------------------------------------------------------- the next allocator */

static struct {
  void* (*malloc)(size_t);
  void* (*calloc)(size_t, size_t);
  void* (*realloc)(void*, size_t);
  void (*free)(void*);
  int (*posix_memalign)(void**, size_t, size_t);
  void* (*aligned_alloc)(size_t, size_t);
  void* (*memalign)(size_t, size_t);
  void* (*valloc)(size_t);
  void* (*pvalloc)(size_t);
} next;

static void find_next_allocator(void) {
  next.malloc = (__typeof__(next.malloc))dlsym(RTLD_NEXT, "malloc");
  next.calloc = (__typeof__(next.calloc))dlsym(RTLD_NEXT, "calloc");
  next.realloc = (__typeof__(next.realloc))dlsym(RTLD_NEXT, "realloc");
  next.free = (__typeof__(next.free))dlsym(RTLD_NEXT, "free");
  next.posix_memalign = (__typeof__(next.posix_memalign))dlsym(RTLD_NEXT, "posix_memalign");
  next.aligned_alloc = (__typeof__(next.aligned_alloc))dlsym(RTLD_NEXT, "aligned_alloc");
  next.memalign = (__typeof__(next.memalign))dlsym(RTLD_NEXT, "memalign");
  next.valloc = (__typeof__(next.valloc))dlsym(RTLD_NEXT, "valloc");
  next.pvalloc = (__typeof__(next.pvalloc))dlsym(RTLD_NEXT, "pvalloc");
}

/* dlsym itself may allocate: what it asks for then comes from here and is never given back. */
static char arena[16384];
static size_t arena_used;

static void* arena_block(size_t size) {
  size_t at = __atomic_fetch_add(&arena_used, (size + 15) & ~(size_t)15, __ATOMIC_RELAXED);
  return at + size <= sizeof arena ? arena + at : NULL;
}
static int in_arena(const void* p) { return (const char*)p >= arena && (const char*)p < arena + sizeof arena; }

/* ----------------------------------------------------------------------------------------- images and forks */

enum { NOT_READY, STARTING, READY };
static int state; /* the first call of a process comes before there are threads */

static void begin_image(void) {
  int saved = errno;
  state = STARTING;
  find_next_allocator();
  image_mark = pages(4096, MAP_PRIVATE | MAP_ANONYMOUS, -1);
  syscall(SYS_madvise, image_mark, 4096, MADV_WIPEONFORK);
  table = pages(TABLE_SLOTS * sizeof *table, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1);
  open_file();
  claim_record();
  atomic_store(image_mark, 1);
  state = READY;
  errno = saved;
}

static void begin_child(void) {
  int saved = errno;
  const struct counter_record* parent = atomic_load(&record);
  int64_t blocks = parent->live_blocks + parent->inherited_blocks;
  int64_t bytes = parent->live_bytes + parent->inherited_bytes;
  generation++;
  claim_record();
  struct counter_record* mine = atomic_load(&record);
  mine->inherited_blocks = blocks;
  mine->inherited_bytes = bytes;
  atomic_store(image_mark, 1);
  errno = saved;
}

/* 0: the allocator is being looked for by this very call. */
static int ready(void) {
  if (__builtin_expect(state == NOT_READY, 0)) begin_image();
  return state == READY;
}

static struct counter_record* current(void) {
  if (__builtin_expect(atomic_load_explicit(image_mark, memory_order_relaxed) == 0, 0)) begin_child();
  return atomic_load_explicit(&record, memory_order_relaxed);
}

static void block_begins(enum counter_function function, void* block, size_t size) {
  struct counter_record* r = current();
  add(&r->calls[function], 1);
  add(&r->bytes, size);
  shift(&r->live_blocks, 1);
  shift(&r->live_bytes, (int64_t)size);
  insert_block(block, size | (uint64_t)generation << GENERATION_SHIFT);
}

static void count_end(uint64_t size_and_generation, int64_t sign) {
  struct counter_record* r = current();
  int64_t size = (int64_t)(size_and_generation & (((uint64_t)1 << GENERATION_SHIFT) - 1));
  int own = size_and_generation >> GENERATION_SHIFT == generation;
  shift(own ? &r->live_blocks : &r->inherited_blocks, -sign);
  shift(own ? &r->live_bytes : &r->inherited_bytes, -sign * size);
  add(&r->frees, (uint64_t)sign);
}

static int block_ends(void* block, uint64_t* size_and_generation) {
  struct counter_record* r = current();
  if (!remove_block(block, size_and_generation)) {
    add(&r->unknown_frees, 1);
    return 0;
  }
  count_end(*size_and_generation, 1);
  return 1;
}

/* ------------------------------------------------------------------------------------------------- the family */

#define EXPORT __attribute__((visibility("default")))

static void* counted(enum counter_function function, void* block, size_t size) {
  if (block) block_begins(function, block, size);
  return block;
}

EXPORT void* malloc(size_t size) {
  return ready() ? counted(COUNTER_MALLOC, next.malloc(size), size) : arena_block(size);
}

EXPORT void* calloc(size_t n, size_t size) {
  return ready() ? counted(COUNTER_CALLOC, next.calloc(n, size), n * size) : arena_block(n * size);
}

EXPORT void free(void* block) {
  uint64_t ignored;
  if (!block || in_arena(block) || !ready()) return;
  block_ends(block, &ignored);
  next.free(block);
}

EXPORT void* realloc(void* old, size_t size) {
  if (!ready() || in_arena(old)) return arena_block(size);
  uint64_t before;
  int known = old && block_ends(old, &before);
  void* block = next.realloc(old, size);
  if (!block && size != 0 && known) { /* failed: the old block lives on */
    count_end(before, -1);
    insert_block(old, before);
  }
  return counted(COUNTER_REALLOC, block, size);
}

EXPORT void* reallocarray(void* old, size_t n, size_t size) {
  size_t bytes;
  if (__builtin_mul_overflow(n, size, &bytes)) {
    errno = ENOMEM;
    return NULL;
  }
  return realloc(old, bytes);
}

EXPORT int posix_memalign(void** out, size_t alignment, size_t size) {
  if (!ready()) return ENOMEM;
  int error = next.posix_memalign(out, alignment, size);
  if (error == 0) counted(COUNTER_ALIGNED, *out, size);
  return error;
}

EXPORT void* aligned_alloc(size_t alignment, size_t size) {
  return ready() ? counted(COUNTER_ALIGNED, next.aligned_alloc(alignment, size), size) : NULL;
}

EXPORT void* memalign(size_t alignment, size_t size) {
  return ready() ? counted(COUNTER_ALIGNED, next.memalign(alignment, size), size) : NULL;
}

EXPORT void* valloc(size_t size) { return ready() ? counted(COUNTER_ALIGNED, next.valloc(size), size) : NULL; }

/* "rounds the size of the allocation up to the next multiple of the system page size" (posix_memalign(3)): so much is
 * asked for. */
EXPORT void* pvalloc(size_t size) {
  const size_t whole_pages = (size + 4095) & ~(size_t)4095;
  return ready() ? counted(COUNTER_ALIGNED, next.pvalloc(size), whole_pages) : NULL;
}
