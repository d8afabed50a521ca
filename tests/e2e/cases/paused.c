/* Stops itself; a child lets it go on; then it allocates. */
#include <signal.h>
#include <sys/wait.h>

#include "case.h"

SITE static void after_pause_site(void) {
  for (int i = 0; i < 800; i++) free(malloc(68));
}

int main(void) {
  const pid_t self = getpid();
  const pid_t child = fork();
  if (child == 0) {
    char line[512] = "", name[32];
    snprintf(name, sizeof name, "/proc/%d/stat", self);
    while (!strstr(line, ") T ")) { /* until it has stopped */
      FILE* file = fopen(name, "r");
      if (!file || !fgets(line, sizeof line, file)) _exit(1);
      fclose(file);
    }
    kill(self, SIGCONT);
    _exit(0);
  }
  raise(SIGSTOP);
  after_pause_site();
  waitpid(child, NULL, 0);
  say("went on\n");
  return 0;
}
