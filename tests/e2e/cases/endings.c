/* endings HOW: keeps 7000 blocks of 40 bytes, then ends in one of a dozen ways. */
#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>
#include <sys/syscall.h>

#include "case.h"

static void* kept[7000];

SITE static void keep_blocks(void) {
  for (int i = 0; i < 7000; i++) kept[i] = malloc(40);
}

static void* end_from_thread(void* unused) {
  (void)unused;
  exit(26);
}

int main(int argc, char** argv) {
  const char* how = argc > 1 ? argv[1] : "return";
  keep_blocks();
  say("kept 7000\n");
  if (is(how, "return")) return 21;
  if (is(how, "exit")) exit(22);
  if (is(how, "_exit")) _exit(23);
  if (is(how, "quick_exit")) quick_exit(24);
  if (is(how, "raw")) syscall(SYS_exit_group, 25);
  if (is(how, "thread")) {
    pthread_t thread;
    pthread_create(&thread, NULL, end_from_thread, NULL);
    pthread_exit(NULL);
  }
  if (is(how, "abort")) abort();
  if (is(how, "segv")) *(volatile int*)16 = 1;
  if (is(how, "sigterm")) raise(SIGTERM);
  if (is(how, "sigkill")) kill(getpid(), SIGKILL);
  if (is(how, "exec")) execl("/bin/sh", "sh", "-c", "exit 27", (char*)NULL);
  return 99;
}
