// A program with a warm-up before phase "serve", told by the header. First argument: threads in the warm-up (0: main does it
// alone). Second: "fork" leaves a child that was forked in the warm-up and frees what it inherited; "never" has no such phase;
// "exec" becomes a program that warms up again.
#include <pthread.h>
#include <sys/wait.h>

#include "case.h"
#include "memswell/memswell.h"

enum { kWarm = 1000, kServed = 500 };
static void *warm[8][kWarm];
static void *served[kServed];

SITE static void warm_block(void **to) {
  *to = malloc(1000);
  memset(*to, 1, 1000);
}
SITE static void serve_block(void **to) {
  *to = malloc(2000);
  memset(*to, 2, 2000);
}
SITE static void grow_warm_block(void **to) { *to = realloc(*to, 3000); }

static void *warm_up(void *blocks) {
  void **mine = blocks;
  for (int i = 0; i < kWarm; i++) warm_block(&mine[i]);
  for (int i = 0; i < 400; i++) free(mine[i]);
  return NULL;
}

static void child_frees_and_serves(void) {
  memswell_phase("serve");
  for (int i = 400; i < kWarm; i++) free(warm[0][i]);
  for (int i = 0; i < 100; i++) serve_block(&served[i]);
  exit(0);
}

int main(int argc, char **argv) {
  const int threads = argc > 1 ? atoi(argv[1]) : 0;
  const char *how = argc > 2 ? argv[2] : "";
  pthread_t running[8];
  if (is(how, "exec")) {
    warm_up(warm[0]);
    execv("/proc/self/exe", (char *[]){argv[0], "0", "", NULL});
  }
  for (int t = 0; t < threads; t++) pthread_create(&running[t], NULL, warm_up, warm[t]);
  for (int t = 0; t < threads; t++) pthread_join(running[t], NULL);
  if (threads == 0) warm_up(warm[0]);
  if (is(how, "fork")) {
    const pid_t child = fork();
    if (child == 0) child_frees_and_serves();
    waitpid(child, NULL, 0);
  }
  if (!is(how, "never")) memswell_phase("serve");
  for (int i = 0; i < kServed; i++) serve_block(&served[i]);
  for (int i = 400; i < 700; i++) free(warm[0][i]);
  for (int i = 0; i < 100; i++) free(served[i]);
  for (int i = 700; i < 710; i++) grow_warm_block(&warm[0][i]);
  say("served 500\n");
  return 0;
}
