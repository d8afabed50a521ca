/* forks HOW: new processes in all the ways that there are. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <spawn.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "case.h"

extern char** environ;
static void *before[300], *after[900];
static void* volatile shared;
static volatile int stop;

SITE static void before_site(void) {
  for (int i = 0; i < 300; i++) before[i] = malloc(56);
}
SITE static void child_site(void) {
  for (int i = 0; i < 700; i++) after[i] = malloc(24);
}
SITE static void parent_site(void) {
  for (int i = 0; i < 900; i++) after[i] = malloc(88);
}
SITE static void vfork_child_site(void) { shared = malloc(64); }

static int status_of(pid_t child) {
  int status;
  return waitpid(child, &status, 0) == child && WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static void both_sides(pid_t child) {
  if (child == 0) {
    for (int i = 0; i < 300; i++) free(before[i]);
    child_site();
    exit(7);
  }
  parent_site();
  printf("child ended with %d\n", status_of(child));
}

static void* churn(void* seed) {
  unsigned x = (unsigned)(size_t)seed;
  while (!stop) {
    x = x * 1664525 + 1013904223;
    free(malloc(16 + (x >> 22)));
  }
  return NULL;
}

static void from_busy_threads(void) {
  pthread_t threads[3];
  int ended = 0;
  for (size_t i = 0; i < 3; i++) pthread_create(&threads[i], NULL, churn, (void*)(i + 1));
  for (int i = 0; i < 40; i++) {
    const pid_t child = fork();
    if (child == 0) {
      for (int k = 0; k < 300; k++) free(malloc(20 + (unsigned)k));
      if (i % 2) exit(0);
      _exit(0);
    }
    ended += status_of(child) == 0;
  }
  stop = 1;
  for (int i = 0; i < 3; i++) pthread_join(threads[i], NULL);
  printf("%d children ended\n", ended);
}

static void vfork_and_spawn(void) {
  char* argv[] = {"true", NULL};
  int ended = 0;
  for (int i = 0; i < 50; i++) {
    pid_t child;
    if (posix_spawn(&child, "/bin/true", NULL, NULL, argv, environ) == 0) ended += status_of(child) == 0;
    child = vfork();
    if (child == 0) {
      execv("/bin/true", argv);
      _exit(1);
    }
    ended += status_of(child) == 0;
    child = vfork();
    if (child == 0) {
      vfork_child_site();
      _exit(0);
    }
    ended += status_of(child) == 0;
    free(shared);
  }
  printf("%d children ended\n", ended);
}

/* Workers that only read what they inherited: no hook of ours ever runs in them. */
static void readers(int raw) {
  char* table = malloc(24 << 20);
  memset(table, 1, 24 << 20);
  int hold[2], ended = 0;
  if (pipe(hold)) exit(2);
  pid_t child[8];
  for (int i = 0; i < 8; i++) {
    child[i] = raw ? (pid_t)syscall(SYS_clone, 17, 0, 0, 0, 0) : fork();
    if (child[i] != 0) continue;
    close(hold[1]);
    char byte;
    syscall(SYS_exit_group, read(hold[0], &byte, 1) == 0 && table[4096] ? 0 : 1);
  }
  usleep(700000);
  close(hold[1]);
  for (int i = 0; i < 8; i++) ended += status_of(child[i]) == 0;
  printf("%d children ended\n", ended);
}

static void become_daemon(const char* done) {
  if (fork() != 0) exit(0);
  setsid();
  if (fork() != 0) _exit(0);
  for (int fd = 0; fd < 256; fd++) close(fd);
  child_site();
  const int file = open(done, O_WRONLY | O_CREAT | O_EXCL, 0600);
  _exit(file >= 0 ? 0 : 1);
}

int main(int argc, char** argv) {
  const char* how = argc > 1 ? argv[1] : "fork";
  before_site();
  if (is(how, "fork")) both_sides(fork());
  if (is(how, "raw")) both_sides((pid_t)syscall(SYS_clone, 17 /* SIGCHLD */, 0, 0, 0, 0));
  if (is(how, "readers")) readers(0);
  if (is(how, "raw_readers")) readers(1);
  if (is(how, "threads")) from_busy_threads();
  if (is(how, "spawn")) vfork_and_spawn();
  if (is(how, "daemon")) become_daemon(argv[2]);
  if (is(how, "chain")) {
    char next[2] = {(char)(argv[2][0] - 1), 0};
    if (next[0] >= '0') execl("/proc/self/exe", "forks", "chain", next, (char*)NULL);
    say("end of the chain\n");
  }
  return 0;
}
