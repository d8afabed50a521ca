/* environment HOW: starts children with exactly the environment that it wants; they print what they got. */
#define _GNU_SOURCE
#include <sys/wait.h>

#include "case.h"

extern char** environ;

SITE static void parent_site(void) {
  for (int i = 0; i < 320; i++) free(malloc(44));
}

int main(int argc, char** argv) {
  const char* how = argc > 1 ? argv[1] : "show";
  if (is(how, "show")) {
    for (char** entry = environ; *entry; entry++) puts(*entry);
    return 0;
  }
  parent_site();
  char* child_argv[] = {"environment", "show", NULL};
  char* given[] = {"ONE=1", "TWO=two words", NULL};
  char* empty[] = {NULL};
  const pid_t child = fork();
  if (child == 0) {
    if (is(how, "given")) execve("/proc/self/exe", child_argv, given);
    if (is(how, "empty")) execve("/proc/self/exe", child_argv, empty);
    if (is(how, "cleared")) clearenv(), execv("/proc/self/exe", child_argv);
    _exit(127);
  }
  int status;
  waitpid(child, &status, 0);
  return status;
}
