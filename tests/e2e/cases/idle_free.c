/* Frees all that it has allocated and goes idle: what is still resident then, the allocator keeps. */
#include "case.h"

enum { BLOCKS = 48, BYTES = 1 << 20 };

int main(void) {
  static void* blocks[BLOCKS];
  for (int i = 0; i < BLOCKS; i++) blocks[i] = memset(malloc(BYTES), 1, BYTES);
  for (int i = 0; i < BLOCKS; i++) free(blocks[i]);
  fprintf(stderr, "@phase idle\n");
  usleep(300000);
  return 0;
}
