/* Copies its input to its output and a count to its error output; a recorder may not touch any of the three. */
#include "case.h"

SITE static void buffer_site(void) {
  long total = 0, n;
  char* block;
  while (block = malloc(4096), (n = read(0, block, 4096)) > 0) {
    if (write(1, block, (size_t)n) != n) _exit(1);
    total += n;
    free(block);
  }
  free(block);
  dprintf(2, "%ld bytes\n", total);
}

int main(void) {
  buffer_site();
  _exit(41);
}
