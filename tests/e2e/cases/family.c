/* Every member of the malloc family, a known number of times each. */
#define _GNU_SOURCE
#include <malloc.h>

#include "case.h"

#define TIMES 50

SITE static void malloc_site(void) {
  for (int i = 0; i < TIMES; i++) free(malloc(10));
}
SITE static void calloc_site(void) {
  for (int i = 0; i < TIMES; i++) free(calloc(4, 5));
}
SITE static void realloc_site(void) {
  for (int i = 0; i < TIMES; i++) free(realloc(realloc(NULL, 100), 200));
}
SITE static void reallocarray_site(void) {
  for (int i = 0; i < TIMES; i++) free(reallocarray(NULL, 6, 7));
}
SITE static void posix_memalign_site(void) {
  for (int i = 0; i < TIMES; i++) {
    void* p;
    if (posix_memalign(&p, 128, 300) || (unsigned long)p % 128) abort();
    free(p);
  }
}
SITE static void aligned_alloc_site(void) {
  for (int i = 0; i < TIMES; i++) free(aligned_alloc(64, 640));
}
SITE static void memalign_site(void) {
  for (int i = 0; i < TIMES; i++) free(memalign(4096, 50));
}
SITE static void valloc_site(void) {
  for (int i = 0; i < TIMES; i++) free(valloc(77));
}
SITE static void pvalloc_site(void) {
  for (int i = 0; i < TIMES; i++) free(pvalloc(5000));
}
SITE static void strdup_site(void) {
  for (int i = 0; i < TIMES; i++) free(strdup("twelve chars"));
}
SITE static void usable_site(void) {
  for (int i = 0; i < TIMES; i++) {
    char* p = malloc(13);
    memset(p, 1, malloc_usable_size(p)); /* all of it is the program's */
    free(p);
  }
}

int main(void) {
  malloc_site(), calloc_site(), realloc_site(), reallocarray_site(), posix_memalign_site(), aligned_alloc_site();
  memalign_site(), valloc_site(), pvalloc_site(), strdup_site(), usable_site();
  say("family done\n");
  return 0;
}
