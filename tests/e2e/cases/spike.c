/* spike: after a third of a second 24 MiB are written and given back within a few milliseconds, between two samples; then
 * the same megabytes come and go a thousand times, which is no new height. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { kSpikeBytes = 24 << 20, kSmallBytes = 2 << 20, kTimes = 1000 };

int main(void) {
  usleep(300 * 1000);
  char* spike = malloc(kSpikeBytes);
  memset(spike, 1, kSpikeBytes);
  free(spike);
  for (int i = 0; i < kTimes; i++) {
    char* block = malloc(kSmallBytes);
    block[0] = 1;
    free(block);
  }
  puts("given back");
  return 0;
}
