/* jail FOLDER: enters an empty root, becomes nobody, closes everything, and makes most of its blocks there. */
#define _GNU_SOURCE
#include <grp.h>

#include "case.h"

SITE static void outside_site(void) {
  for (int i = 0; i < 400; i++)
    if (!malloc(72)) abort();
}
SITE static void inside_site(void) {
  for (int i = 0; i < 3500; i++)
    if (!malloc(36)) abort();
}

int main(int argc, char** argv) {
  outside_site();
  if (argc < 2 || chroot(argv[1]) || chdir("/") || setgroups(0, NULL)) return 1;
  if (setresgid(65534, 65534, 65534) || setresuid(65534, 65534, 65534)) return 1;
  close_range(3, ~0U, 0);
  inside_site();
  printf("inside as %d\n", (int)getuid());
  return 0;
}
