// Known numbers of blocks at four sites, for estimates from a sample. Says the largest sum of usable bytes that lived at once.
// First argument: threads; 0: main alone. Second: "fork": a child frees what it inherited, and makes as much anew.
#include <malloc.h>
#include <pthread.h>
#include <sys/wait.h>

#include "case.h"

enum { kTiny = 40000, kMiddle = 4000, kLarge = 60, kHuge = 5, kAll = kTiny + kMiddle + kLarge + kHuge, kThreads = 4 };

static void *blocks[kThreads][kAll];
static size_t live, most;  // counted if there is one thread

static void count(void *block, long sign) {
  live += (size_t)sign * malloc_usable_size(block);
  if (live > most) most = live;
}

SITE static void *tiny_site(void) { return malloc(40); }
SITE static void *middle_site(void) { return malloc(3000); }
SITE static void *large_site(void) { return calloc(1, 60000); }
SITE static void *huge_site(void) { return malloc(300000); }

// Every other block of each kind is freed again; a tenth of the middle ones is grown in place of that.
static void *work(void *argument) {
  void **mine = argument;
  const int alone = argument == blocks[0];
  for (int i = 0; i < kAll; i++) {
    mine[i] = i < kTiny ? tiny_site() : i < kTiny + kMiddle ? middle_site() : i < kTiny + kMiddle + kLarge ? large_site() : huge_site();
    if (alone) count(mine[i], 1);
  }
  for (int i = 0; i < kAll; i += 2) {
    if (alone) count(mine[i], -1);
    free(mine[i]);
    mine[i] = NULL;
  }
  return NULL;
}

static void free_all(void) {
  for (int i = 0; i < kAll; i++) free(blocks[0][i]);
}

int main(int argc, char **argv) {
  const int threads = argc > 1 ? atoi(argv[1]) : 0;
  pthread_t running[kThreads];
  for (int t = 0; t < threads; t++) pthread_create(&running[t], NULL, work, blocks[t]);
  for (int t = 0; t < threads; t++) pthread_join(running[t], NULL);
  if (threads == 0) work(blocks[0]);
  if (argc > 2 && is(argv[2], "fork")) {
    const pid_t child = fork();
    if (child == 0) {
      free_all();
      work(blocks[0]);
      exit(0);
    }
    waitpid(child, NULL, 0);
  }
  char line[64] = "done\n";
  if (threads == 0) sprintf(line, "%zu %zu\n", most, live);
  say(line);
  _exit(0);  // nothing else comes or goes
}
