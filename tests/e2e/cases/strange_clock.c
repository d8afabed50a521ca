/* A library that makes CLOCK_REALTIME step by STRANGE_STEP seconds, forward and back, at every look of the processes that
 * load it: as if somebody set the clock again and again. */
#define _GNU_SOURCE
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

int clock_gettime(clockid_t clock, struct timespec* time) {
  static int looks;
  const char* step = getenv("STRANGE_STEP");
  const int result = (int)syscall(SYS_clock_gettime, clock, time);
  if (result == 0 && clock == CLOCK_REALTIME && step) time->tv_sec += (looks++ % 2 ? 1 : -1) * atol(step);
  return result;
}
