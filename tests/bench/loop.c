/* loop DEPTH PAIRS THREADS [LIVE]: malloc/free pairs at a call depth, in so many threads, beside so many live blocks.
 * Prints the nanoseconds an event took (an event is one malloc or one free): wall time over the events of all threads.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static long pairs;
static int depth;
static __thread void* volatile sink;

__attribute__((noinline)) static void work(void) {
  for (long i = 0; i < pairs; i++) {
    void* block = malloc(16 + (size_t)(i & 127));
    sink = block; /* the pair must not be optimised away */
    free(block);
  }
}

__attribute__((noinline)) static int descend(int left) {
  volatile char frame[32];
  frame[0] = (char)left;
  if (left == 0) {
    work();
    return frame[0];
  }
  return descend(left - 1) + frame[0];
}

static void* thread_main(void* unused) {
  (void)unused;
  descend(depth);
  return NULL;
}

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

int main(int argc, char** argv) {
  if (argc < 4) return 2;
  depth = atoi(argv[1]);
  pairs = atol(argv[2]);
  const int threads = atoi(argv[3]);
  const long live = argc > 4 ? atol(argv[4]) : 0;
  void** kept = live ? malloc((size_t)live * sizeof *kept) : NULL;
  for (long i = 0; i < live; i++) kept[i] = malloc(16 + (size_t)(i & 127));

  pthread_t others[64];
  const double begin = now();
  for (int i = 1; i < threads; i++) pthread_create(&others[i], NULL, thread_main, NULL);
  descend(depth);
  for (int i = 1; i < threads; i++) pthread_join(others[i], NULL);
  printf("%.2f\n", (now() - begin) * 1e9 / (2.0 * (double)pairs * threads));
  return 0;
}
