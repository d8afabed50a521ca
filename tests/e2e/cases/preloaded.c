/* Uses the user's own preload, and starts a child that must have it too. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <sys/wait.h>

#include "case.h"

SITE static void work_site(void) {
  for (int i = 0; i < 900; i++) free(malloc(28));
}

int main(int argc, char** argv) {
  int (*opened)(void) = (int (*)(void))dlsym(RTLD_DEFAULT, "user_preload_opened");
  work_site();
  for (int i = 0; i < 5; i++) close(open("/dev/null", O_RDONLY, 0));
  printf("%s opened %d\n", argc > 1 ? "child" : "parent", opened ? opened() : -1);
  fflush(stdout);
  if (argc == 1 && fork() == 0) execl(argv[0], argv[0], "child", (char*)NULL);
  wait(NULL);
  return 0;
}
