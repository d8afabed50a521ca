/* soak TRUTH SECONDS SEED [IMAGE]: threads that allocate, free, and free each other's blocks, in processes that fork,
 * exec, load and unload, under a timer's signals, for that long. Keeps count in the file TRUTH (truth_layout.h). */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "truth_layout.h"

#define SITE __attribute__((noinline, noclone))
#define HELD 256   /* blocks that a thread holds at most */
#define BOXES 64   /* where threads leave blocks for each other */
#define THREADS 3

enum kind { KIND_MALLOC, KIND_CALLOC, KIND_REALLOC, KIND_ALIGNED };

/* Each block says what it is, so that whoever frees it counts it right. */
struct block {
  uint32_t owner; /* generation: the process image that made it */
  uint32_t kind;
  uint64_t bytes;
};

struct worker {
  struct truth_slot* slot;
  uint64_t random;
  struct block* held[HELD];
};

static struct truth_file* truth;
static uint32_t image, generation;
static struct block* box[BOXES];
static double end_time;
static volatile sig_atomic_t stopping;
static const char *self_path, *truth_path;

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static uint32_t next_random(struct worker* w) {
  w->random = w->random * 6364136223846793005u + 1442695040888963407u;
  return (uint32_t)(w->random >> 33);
}

static void claim_slot(struct worker* w) {
  const uint64_t index = __atomic_fetch_add(&truth->used, 1, __ATOMIC_RELAXED);
  if (index >= TRUTH_SLOTS) _exit(90);
  w->slot = &truth->slot[index];
  w->slot->pid = getpid();
  w->slot->image = image;
}

/* The compiler must not move counts over calls, nor a killed process lose them: they are in shared memory at once. */
static void count(struct truth_count* count, uint64_t bytes) {
  __atomic_store_n(&count->calls, count->calls + 1, __ATOMIC_SEQ_CST);
  __atomic_store_n(&count->bytes, count->bytes + bytes, __ATOMIC_SEQ_CST);
}

SITE static struct block* malloc_site(size_t bytes) { return malloc(bytes); }
SITE static struct block* calloc_site(size_t bytes) { return calloc(1, bytes); }
SITE static struct block* realloc_site(struct block* old, size_t bytes) { return realloc(old, bytes); }
SITE static struct block* aligned_site(size_t bytes) { return aligned_alloc(64, bytes); }

static void begin_free(struct worker* w, const struct block* b) {
  if (b->owner == generation) count(&w->slot->kind[b->kind].freed_begun, b->bytes);
}
static void end_free(struct worker* w, struct block was) {
  if (was.owner == generation) count(&w->slot->kind[was.kind].freed_done, was.bytes);
}

static void drop(struct worker* w, struct block* b) {
  if (!b) return;
  const struct block was = *b;
  begin_free(w, b);
  free(b);
  end_free(w, was);
}

static struct block* make(struct worker* w, struct block* old) {
  const uint32_t kind = old ? KIND_REALLOC : next_random(w) % 4;
  size_t bytes = sizeof(struct block) + next_random(w) % (next_random(w) % 64 ? 400 : 200000);
  if (kind == KIND_ALIGNED) bytes = (bytes + 63) / 64 * 64;
  struct truth_kind* counts = &w->slot->kind[kind];
  struct block was = {0, 0, 0};
  if (old) {
    was = *old;
    begin_free(w, old);
  }
  count(&counts->made_begun, bytes);
  struct block* b = kind == KIND_MALLOC   ? malloc_site(bytes)
                    : kind == KIND_CALLOC ? calloc_site(bytes)
                    : kind == KIND_ALIGNED ? aligned_site(bytes)
                                           : realloc_site(old, bytes);
  if (!b) _exit(91);
  *b = (struct block){generation, kind, bytes};
  count(&counts->made_done, bytes);
  if (old) end_free(w, was);
  return b;
}

static void work(struct worker* w, unsigned steps) {
  for (unsigned i = 0; i < steps; i++) {
    struct block** place = &w->held[next_random(w) % HELD];
    switch (next_random(w) % 4) {
      case 0:
        if (!*place) *place = make(w, NULL);
        break;
      case 1:
        if (*place && (*place)->owner == generation) *place = make(w, *place);
        break;
      case 2: *place = __atomic_exchange_n(&box[next_random(w) % BOXES], *place, __ATOMIC_ACQ_REL); break;
      default:
        drop(w, *place);
        *place = NULL;
    }
  }
}

static void* run_worker(void* argument) {
  struct worker* w = argument;
  claim_slot(w);
  __atomic_fetch_add(&truth->threads, 1, __ATOMIC_RELAXED);
  do work(w, 2000);
  while (!stopping && now() < end_time);
  return NULL;
}

static void run_threads(struct worker* workers, int threads, uint64_t seed) {
  pthread_t thread[THREADS];
  for (int i = 0; i < threads; i++) {
    workers[i].random = seed * 31 + (uint64_t)i;
    if (pthread_create(&thread[i], NULL, run_worker, &workers[i])) _exit(92);
  }
  for (int i = 0; i < threads; i++) pthread_join(thread[i], NULL);
}

static void mark_ended(void) {
  for (uint64_t i = 0; i < truth->used && i < TRUTH_SLOTS; i++)
    if (truth->slot[i].pid == getpid() && truth->slot[i].image == image) truth->slot[i].ended = 1;
}

static void become_another_image(uint64_t seed) {
  char next_image[24], next_seed[24];
  snprintf(next_image, sizeof next_image, "%u", image + 1);
  snprintf(next_seed, sizeof next_seed, "%lu", (unsigned long)seed);
  __atomic_fetch_add(&truth->execs, 1, __ATOMIC_RELAXED);
  execl(self_path, self_path, truth_path, "0.02", next_seed, next_image, (char*)NULL);
  _exit(93);
}

/* In a child: blocks of the parent are there and may be freed, but are not the child's own. */
static _Noreturn void be_child(struct worker* main_worker, uint64_t seed) {
  static struct worker workers[THREADS];
  generation++;
  memset(workers, 0, sizeof workers);
  main_worker->random = seed;
  claim_slot(main_worker);
  end_time = now() + 0.01;
  work(main_worker, 500);
  run_threads(workers, 2, seed);
  mark_ended();
  switch (seed % 5) {
    case 0: _exit(0);
    case 1: kill(getpid(), SIGKILL); /* fall through */
    case 2:
      if (image < 3) become_another_image(seed / 5);
      exit(0);
    default: exit(0);
  }
}

static void load_and_unload(uint32_t which) {
  char path[64];
  snprintf(path, sizeof path, "libplugin%u.so", 1 + which % 3);
  void* library = dlopen(path, RTLD_NOW);
  if (!library) return;
  __atomic_fetch_add(&truth->loads, 1, __ATOMIC_RELAXED);
  dlclose(library);
}

static void on_timer(int number) {
  (void)number;
  __atomic_fetch_add(&truth->signals, 1, __ATOMIC_RELAXED);
}

static void start_timer(void) {
  struct sigaction action = {.sa_handler = on_timer}; /* without SA_RESTART: calls end with EINTR */
  sigaction(SIGALRM, &action, NULL);
  const struct itimerval often = {{0, 3000}, {0, 3000}};
  setitimer(ITIMER_REAL, &often, NULL);
}

static void* run_main_threads(void* workers) {
  run_threads(workers, THREADS, 77 + image);
  return NULL;
}

static void manage(struct worker* w) {
  while (now() < end_time) {
    work(w, 200);
    load_and_unload(next_random(w));
    const uint64_t seed = next_random(w);
    const pid_t child = fork();
    if (child == 0) be_child(w, seed);
    __atomic_fetch_add(&truth->forks, 1, __ATOMIC_RELAXED);
    while (waitpid(child, NULL, 0) < 0) {
    }
  }
}

int main(int argc, char** argv) {
  static struct worker main_worker, workers[THREADS];
  if (argc < 4) return 2;
  self_path = argv[0];
  truth_path = argv[1];
  image = argc > 4 ? (uint32_t)atoi(argv[4]) : 0;
  const int file = open(truth_path, O_RDWR | O_CLOEXEC);
  truth = mmap(NULL, sizeof *truth, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  if (truth == MAP_FAILED) return 3;
  close(file);
  generation = 1;
  main_worker.random = strtoul(argv[3], NULL, 10);
  claim_slot(&main_worker);
  end_time = now() + atof(argv[2]);
  start_timer();
  pthread_t threads;
  if (pthread_create(&threads, NULL, run_main_threads, workers)) return 4;
  manage(&main_worker);
  pthread_join(threads, NULL);
  mark_ended();
  return image == 0 ? 47 : 0;
}
