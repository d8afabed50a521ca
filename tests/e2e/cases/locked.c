/* Locks all of its memory, as programs do that must not wait for pages: what it has then is little, and present. */
#include <sys/mman.h>

#include "case.h"

static void* kept[500];

SITE static void keep_site(void) {
  for (int i = 0; i < 500; i++) {
    kept[i] = malloc(5000);
    if (!kept[i]) abort();
  }
}

static long kib_of(const char* field) {
  char line[256];
  long value = -1;
  FILE* status = fopen("/proc/self/status", "r");
  while (fgets(line, sizeof line, status))
    if (strncmp(line, field, strlen(field)) == 0) value = atol(line + strlen(field));
  fclose(status);
  return value;
}

int main(void) {
  const long before = kib_of("VmRSS:");
  unsigned char present[2];
  if (mlockall(MCL_CURRENT | MCL_FUTURE)) return 77;
  keep_site();
  /* a block of many pages that nobody has touched is there at once */
  char* large = malloc(1 << 20);
  if (mincore(large - ((unsigned long)large & 4095) + (1 << 19), 8192, present) || !(present[0] & present[1] & 1)) say("not locked\n");
  say(kib_of("VmRSS:") - before < 64 * 1024 ? "own pages locked\n" : "half the machine locked\n");
  return 0;
}
