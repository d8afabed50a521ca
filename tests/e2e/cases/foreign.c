/* Built statically, for another C library and with a sanitizer: a preload cannot or must not enter. Touches 24 MiB. */
#include "case.h"

int main(void) {
  char* block = malloc(24 << 20);
  memset(block, 1, 24 << 20);
  usleep(200000);
  say("foreign program ran\n");
  const int touched = block[12345] == 1;
  free(block);
  return touched ? 9 : 1;
}
