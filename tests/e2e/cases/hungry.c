/* Takes and touches memory, a block at a time, until somebody stops it; or up to so many MiB. */
#include "case.h"

enum { BLOCK = 1 << 20 };

SITE static void grow_site(long blocks) {
  for (long i = 0; i < blocks; i++) {
    char* block = malloc(BLOCK);
    if (!block) abort();
    memset(block, 1, BLOCK);
  }
}

int main(int argc, char** argv) {
  grow_site(argc > 1 ? atol(argv[1]) : 1 << 20);
  say("grown\n");
  return 0;
}
