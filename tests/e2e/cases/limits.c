/* Little address space, no further descriptors, no file may grow: the program lives with that, so must a recorder. */
#include <sys/resource.h>

#include "case.h"

static void* kept[1000];

SITE static void limited_site(void) {
  for (int i = 0; i < 50000; i++) {
    free(kept[i % 1000]);
    kept[i % 1000] = malloc(100 + (unsigned)i % 100);
    if (!kept[i % 1000]) abort();
  }
}

static void limit(int what, rlim_t value) {
  const struct rlimit both = {value, value};
  if (setrlimit((__rlimit_resource_t)what, &both)) abort();
}

int main(void) {
  limit(RLIMIT_FSIZE, 0);
  limit(RLIMIT_NOFILE, 3);
  limit(RLIMIT_AS, 256UL << 20);
  limited_site();
  return 61; /* it could not even write a line into a file */
}
