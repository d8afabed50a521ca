/* What libcounter.so writes: a file of fixed records, mapped shared by every process image that it counts in.
 *
 * The counts live in the file's pages, so they are right up to a program's last instruction however it ends: exit,
 * _exit, exec, a signal, SIGKILL. The file is made by whoever counts, zeroed, COUNTER_FILE_BYTES long, and named in
 * the environment by COUNTER_FILE_VARIABLE. A record belongs to one process image; a forked child takes the next one.
 */
#ifndef MEMSWELL_TESTS_COUNTER_LAYOUT_H
#define MEMSWELL_TESTS_COUNTER_LAYOUT_H

#include <stdint.h>

#define COUNTER_FILE_VARIABLE "MEMSWELL_TEST_COUNTER"
#define COUNTER_RECORDS 4096
#define COUNTER_RECORD_BYTES 256
#define COUNTER_FILE_BYTES ((COUNTER_RECORDS + 1) * COUNTER_RECORD_BYTES)

enum counter_function {
  COUNTER_MALLOC,
  COUNTER_CALLOC,
  COUNTER_REALLOC,
  COUNTER_ALIGNED, /* posix_memalign, aligned_alloc, memalign, valloc, pvalloc */
  COUNTER_FUNCTIONS
};

struct counter_record {
  int32_t pid; /* as the program sees it; 0: never claimed */
  int32_t ppid;
  uint64_t calls[COUNTER_FUNCTIONS]; /* successful ones that made a block */
  uint64_t bytes;                    /* asked for by those calls */
  uint64_t frees;                    /* blocks ended, also by realloc */
  uint64_t unknown_frees;            /* of addresses that were never seen */
  int64_t live_blocks;               /* made by this image and not freed */
  int64_t live_bytes;
  int64_t inherited_blocks; /* made before the fork and not freed */
  int64_t inherited_bytes;
  uint64_t overflows; /* blocks that found no place in the table: live figures are wrong then */
  char executable[120];
};

/* The file's first record. */
struct counter_header {
  uint32_t claimed; /* records handed out */
};

#endif
