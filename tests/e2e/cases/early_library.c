/* A needed library whose constructor runs before those of preloaded ones, and asks the loader for a missing name. */
#define _GNU_SOURCE
#include <dlfcn.h>

#include "case.h"

void* early_blocks[25];

SITE static void library_constructor_site(void) {
  for (int i = 0; i < 25; i++) early_blocks[i] = malloc(48);
}

__attribute__((constructor)) static void begin(void) {
  library_constructor_site();
  if (dlsym(RTLD_DEFAULT, "a_name_that_nobody_defines") != NULL || dlerror() == NULL) abort();
}
