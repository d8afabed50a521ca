/* Waits for Ctrl-C, cleans up, and ends with a status of its own. Sends it to its whole process group itself. */
#include <signal.h>

#include "case.h"

static volatile sig_atomic_t interrupts;

SITE static void working_site(void) {
  for (int i = 0; i < 600; i++)
    if (!malloc(52)) abort();
}
SITE static void cleaning_site(void) {
  for (int i = 0; i < 70; i++)
    if (!malloc(53)) abort();
}
static void on_interrupt(int number) { (void)number, interrupts++; }

int main(void) {
  signal(SIGINT, on_interrupt);
  working_site();
  kill(0, SIGINT); /* as a terminal does: memswell gets it too */
  cleaning_site();
  printf("interrupted %d times\n", (int)interrupts);
  return 51;
}
