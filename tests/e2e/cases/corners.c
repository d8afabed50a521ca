/* realloc and its corner cases, calls that fail, and errno. */
#include <errno.h>
#include <stdint.h>

#include "case.h"

static void* kept[8];

SITE static void zero_sized_site(void) {
  for (int i = 0; i < 40; i++) free(malloc(0)), free(calloc(0, 8));
}
SITE static void realloc_to_zero_site(void) {
  for (int i = 0; i < 40; i++) {
    void* p = realloc(malloc(16), 0);
    if (p) abort();
  }
}
SITE static void failing_site(void) {
  volatile size_t huge = PTRDIFF_MAX;
  for (int i = 0; i < 40; i++) {
    char* p = malloc(32);
    if (malloc(huge) || calloc(huge, 4) || realloc(p, huge) || errno != ENOMEM) abort();
    p[31] = 1; /* a failed realloc leaves the block as it was */
    free(p);
  }
}
SITE static void growing_site(void) {
  for (int i = 0; i < 8; i++) {
    for (size_t n = 100; n <= 1000; n += 100) kept[i] = realloc(kept[i], n);
  }
}
SITE static void moving_site(void) {
  char* p = malloc(200000); /* above the mmap threshold: mremap moves it */
  for (int i = 1; i <= 40; i++) p = realloc(p, 200000u + 100000u * (unsigned)i);
  free(p);
}

int main(void) {
  errno = 71;
  void* p = malloc(5);
  free(p);
  const int kept_errno = errno == 71;
  zero_sized_site(), realloc_to_zero_site(), failing_site(), growing_site(), moving_site();
  printf("errno %s\n", kept_errno ? "kept" : "changed");
  return 0;
}
