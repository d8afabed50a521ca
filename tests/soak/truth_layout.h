/* What the soak program says about itself: a file that it maps and writes as it goes, so that it is right however the
 * program ends. Each thread of each process image has a slot of its own; `begun` is counted before a call and `done`
 * after it, so that what was recorded lies between them even if the program was killed within the call. */
#ifndef MEMSWELL_TESTS_TRUTH_LAYOUT_H
#define MEMSWELL_TESTS_TRUTH_LAYOUT_H

#include <stdint.h>

#define TRUTH_KINDS 4 /* malloc, calloc, realloc, aligned_alloc */
#define TRUTH_SLOTS 60000

struct truth_count {
  uint64_t calls;
  uint64_t bytes;
};

struct truth_kind {
  struct truth_count made_begun, made_done;
  struct truth_count freed_begun, freed_done; /* blocks of this process image's own */
};

struct truth_slot {
  int32_t pid;
  uint32_t image; /* of this pid: 0, and one more by each exec */
  uint32_t ended; /* 1: the image ended as it wanted */
  uint32_t reserved;
  struct truth_kind kind[TRUTH_KINDS];
};

struct truth_file {
  uint64_t used; /* slots claimed */
  uint64_t forks, execs, threads, loads, signals;
  struct truth_slot slot[TRUTH_SLOTS];
};

#endif
