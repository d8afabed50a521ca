/* Works at a terminal until it is told "end": says when it was continued, how large the terminal is after a change, and
 * has a site whose blocks it keeps and one that it comes back to for ever. */
#include <poll.h>
#include <signal.h>
#include <sys/ioctl.h>

#include "case.h"

static volatile sig_atomic_t resized, continued;

static void on_resize(int number) { (void)number, resized = 1; }
static void on_continue(int number) { (void)number, continued = 1; }

SITE static void keep_site(void) {
  for (int i = 0; i < 1000; i++)
    if (!malloc(40)) abort();
}

SITE static void work_site(void) { free(malloc(64)); }

static void say_size(void) {
  struct winsize size;
  char line[64];
  if (ioctl(0, TIOCGWINSZ, &size) == 0) {
    snprintf(line, sizeof line, "size %d x %d\n", size.ws_row, size.ws_col);
    say(line);
  }
}

int main(void) {
  struct pollfd input = {0, POLLIN, 0};
  char line[64];
  signal(SIGWINCH, on_resize);
  signal(SIGCONT, on_continue);
  keep_site();
  say("working\n");
  for (;;) {
    work_site();
    if (poll(&input, 1, 5) > 0) {
      const ssize_t length = read(0, line, sizeof line);
      if (length <= 0 || strncmp(line, "end", 3) == 0) break;
    }
    if (resized) resized = 0, say_size();
    if (continued) continued = 0, say("continued\n");
  }
  say("ended\n");
  return 31;
}
