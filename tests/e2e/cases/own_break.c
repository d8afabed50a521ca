// Memory that the program takes with sbrk(2) itself, between blocks of malloc: 8 MiB, all written, none given back.
#define _GNU_SOURCE
#include "case.h"

SITE static char *own_memory(size_t bytes) {
  char *memory = sbrk((intptr_t)bytes);
  memset(memory, 1, bytes);
  return memory;
}

int main(void) {
  static char *kept[101];
  kept[100] = malloc(5000);
  own_memory((size_t)8 << 20);
  for (int i = 0; i < 100; i++) kept[i] = malloc(3000);  // the heap goes on behind it
  write(2, "@phase taken\n", 13);
  usleep(300 * 1000);
  return 0;
}
