/* threads HOW: many threads, short threads, threads on tiny stacks, threads that free each other's blocks. */
#define _GNU_SOURCE
#include <limits.h>
#include <pthread.h>

#include "case.h"

static void* box[64];

SITE static void worker_site(unsigned seed) {
  for (int i = 0; i < 100000; i++) free(malloc(16 + (seed + (unsigned)i) % 200));
}
SITE static void exchange_site(unsigned seed) {
  for (unsigned i = 0; i < 50000; i++) {
    void* block = malloc(16 + i % 64);
    free(__atomic_exchange_n(&box[(seed + i) % 64], block, __ATOMIC_ACQ_REL));
  }
}
SITE static void short_site(void) {
  for (int i = 0; i < 3; i++) free(malloc(32));
}
SITE static void tiny_stack_site(void) {
  for (int i = 0; i < 40; i++) free(malloc(48));
}

static void* worker(void* seed) { return worker_site((unsigned)(size_t)seed), NULL; }
static void* exchange(void* seed) { return exchange_site((unsigned)(size_t)seed * 17), NULL; }
static void* short_life(void* unused) { return (void)unused, short_site(), NULL; }
static void* tiny(void* unused) { return (void)unused, tiny_stack_site(), NULL; }

static void run_threads(int count, int at_once, void* (*body)(void*), size_t stack) {
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  if (stack) pthread_attr_setstacksize(&attributes, stack);
  pthread_t threads[64];
  for (int done = 0; done < count; done += at_once) {
    for (int i = 0; i < at_once; i++) {
      if (pthread_create(&threads[i], &attributes, body, (void*)(size_t)(i + 1))) abort();
    }
    for (int i = 0; i < at_once; i++) pthread_join(threads[i], NULL);
  }
  printf("%d threads ended\n", count);
}

int main(int argc, char** argv) {
  const char* how = argc > 1 ? argv[1] : "many";
  if (is(how, "many")) run_threads(8, 8, worker, 0);
  if (is(how, "exchange")) run_threads(4, 4, exchange, 0);
  if (is(how, "short")) run_threads(5000, 10, short_life, 0);
  if (is(how, "tiny")) run_threads(60, 20, tiny, PTHREAD_STACK_MIN);
  for (int i = 0; i < 64; i++) free(box[i]);
  return 0;
}
