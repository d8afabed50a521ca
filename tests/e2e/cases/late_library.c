/* A needed library whose destructor runs after those of preloaded ones. */
#include "case.h"

SITE static void library_destructor_site(void) {
  for (int i = 0; i < 35; i++) free(malloc(90));
}
__attribute__((destructor)) static void end(void) { library_destructor_site(); }

void* late_library_block(void) { return malloc(33); }
