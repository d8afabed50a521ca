/* signals HOW: handlers that allocate, on a small stack of their own, that jump away, that interrupt all the time. */
#define _GNU_SOURCE
#include <setjmp.h>
#include <signal.h>
#include <sys/time.h>

#include "case.h"

static void* kept[2000];
static volatile int taken;
static sigjmp_buf back;

SITE static void handler_site(void) { kept[taken] = malloc(120); }
SITE static void interrupted_site(void) {
  for (int i = 0; i < 200000; i++) free(malloc(16 + (unsigned)i % 100));
}
static void on_signal(int number) {
  (void)number;
  handler_site();
  taken++;
}
static void on_signal_and_leave(int number) {
  on_signal(number);
  siglongjmp(back, 1);
}
static void on_tick(int number) { (void)number, taken++; }

static void install(int number, void (*handler)(int), int flags) {
  struct sigaction action = {.sa_handler = handler, .sa_flags = flags};
  sigaction(number, &action, NULL);
}

int main(int argc, char** argv) {
  const char* how = argc > 1 ? argv[1] : "stack";
  static char small[8192];
  stack_t own = {.ss_sp = small, .ss_size = sizeof small};
  sigaltstack(&own, NULL);
  if (is(how, "stack")) {
    install(SIGUSR1, on_signal, SA_ONSTACK);
    for (int i = 0; i < 500; i++) raise(SIGUSR1);
  }
  if (is(how, "jump")) {
    install(SIGUSR1, on_signal_and_leave, SA_ONSTACK);
    for (int i = 0; i < 500; i++)
      if (!sigsetjmp(back, 1)) raise(SIGUSR1);
  }
  if (is(how, "ticks")) { /* no SA_RESTART: system calls of a recorder would fail with EINTR */
    install(SIGALRM, on_tick, 0);
    struct itimerval every = {{0, 300}, {0, 300}};
    setitimer(ITIMER_REAL, &every, NULL);
    interrupted_site();
    say("ticks taken\n");
    return 0;
  }
  printf("%d signals handled\n", taken);
  return 0;
}
