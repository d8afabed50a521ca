// A fragmented heap: COUNT objects of 16 to 255 bytes from four sites, 95 % freed at random. Then what memswell has
// predicted is done: malloc_trim(0), then the site WHICH (0 to 3) frees its blocks and malloc_trim(0) again. Prints the
// pages that came back, as smaps_rollup tells. Third argument: c (calloc), r (blocks of two sites grow by realloc), m; fourth:
// number of threads, 0 for none but main; any fifth: main's own cache is empty when it frees the threads' blocks.
#define _GNU_SOURCE
#include <fcntl.h>
#include <malloc.h>
#include <pthread.h>
#include <stdint.h>
#include <sys/mman.h>

#include "case.h"

static char kind;

// Each site calls the allocator itself, so that it is the one named.
#define SITE_OF(name, grows)                                      \
  SITE static void *name(size_t bytes) {                          \
    char *block = kind == 'c' ? calloc(1, bytes) : malloc(bytes); \
    if (kind == 'r' && grows) block = realloc(block, bytes *= 2); \
    for (size_t i = 0; i < bytes; i++) block[i] = 1;              \
    return block;                                                 \
  }
SITE_OF(site_a, 0)
SITE_OF(site_b, 0)
SITE_OF(site_c, 1)
SITE_OF(site_d, 1)
static void *(*const sites[4])(size_t) = {site_a, site_b, site_c, site_d};

// The lists of blocks lie outside of the heap that is measured.
struct share {
  size_t count;
  void **blocks;
  unsigned char *site;
  uint64_t random;
};

static void *untouched_heap(size_t bytes) {
  return mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
}

static uint64_t next_random(uint64_t *state) {
  *state ^= *state << 13;
  *state ^= *state >> 7;
  *state ^= *state << 17;
  return *state;
}

static void *fill_and_free(void *argument) {
  struct share *share = argument;
  for (size_t i = 0; i < share->count; i++) {
    share->site[i] = next_random(&share->random) % 4;
    share->blocks[i] = sites[share->site[i]](16 + next_random(&share->random) % 240);
  }
  for (size_t i = 0; i < share->count; i++) {
    if (next_random(&share->random) % 100 >= 95) continue;
    free(share->blocks[i]);
    share->blocks[i] = NULL;
  }
  return NULL;
}

// Anonymous memory only: code that runs for the first time makes pages of files resident. To the page, unlike statm.
static long anonymous_pages(void) {
  char text[4096];
  const int file = open("/proc/self/smaps_rollup", O_RDONLY);
  text[read(file, text, sizeof text - 1)] = 0;
  close(file);
  return strtol(strstr(text, "Anonymous:") + 10, NULL, 10) / 4;
}

// The cache of the main thread takes seven blocks of each size before free() gives them back to their arena.
static void fill_own_cache(void) {
  void *cached[17][7];
  for (int size = 0; size < 17; size++) {
    for (int i = 0; i < 7; i++) cached[size][i] = malloc(size * 16 + 8);
  }
  for (int size = 0; size < 17; size++) {
    for (int i = 0; i < 7; i++) free(cached[size][i]);
  }
}

// memswell takes its snapshot at the line; the pages must not change until it has.
static void announce(const char *line) {
  write(2, line, strlen(line));
  usleep(400 * 1000);
}

int main(int argc, char **argv) {
  const size_t count = argc > 1 ? strtoul(argv[1], NULL, 10) : 200000;
  const int which = argc > 2 ? argv[2][0] - '0' : 0;
  kind = argc > 3 ? argv[3][0] : 'm';
  const int threads = argc > 4 ? argv[4][0] - '0' : 0, parts = threads == 0 ? 1 : threads;
  struct share shares[10];
  pthread_t ids[10];
  for (int i = 0; i < parts; i++) {
    const size_t part = count / parts;
    shares[i] = (struct share){part, untouched_heap(part * sizeof(void *)), untouched_heap(part), 88172645463325252u + 977 * i};
  }
  if (threads == 0) fill_and_free(&shares[0]);
  if (threads > 0 && argc < 6) fill_own_cache();
  for (int i = 0; i < threads; i++) pthread_create(&ids[i], NULL, fill_and_free, &shares[i]);
  for (int i = 0; i < threads; i++) pthread_join(ids[i], NULL);
  announce("@phase freed\n");
  const long before = anonymous_pages();
  malloc_trim(0);
  const long trimmed = anonymous_pages();
  for (int i = 0; i < parts; i++) {
    for (size_t k = 0; k < shares[i].count; k++) {
      if (shares[i].site[k] == which) free(shares[i].blocks[k]);
    }
  }
  malloc_trim(0);
  dprintf(1, "%ld %ld\n", before - trimmed, trimmed - anonymous_pages());
  return 0;
}
