/* descriptors FILE: closes every descriptor above 2, opens its own under the numbers that became free, and allocates
 * on. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <sys/socket.h>
#include <sys/stat.h>

#include "case.h"

static void* kept[6000];

SITE static void between_writes_site(int i) {
  for (int k = 0; k < 6; k++) kept[i * 6 + k] = malloc(20 + (unsigned)(i + k) % 500);
}

int main(int argc, char** argv) {
  char line[16], back[16];
  int pair[2], bad = argc < 2;
  close_range(3, ~0U, 0);
  const int file = open(argv[1], O_RDWR | O_CREAT | O_TRUNC, 0600);
  if (file < 0 || socketpair(AF_UNIX, SOCK_STREAM, 0, pair)) return 1;
  for (int i = 0; i < 1000; i++) {
    const int n = snprintf(line, sizeof line, "line %04d\n", i);
    if (write(file, line, (size_t)n) != n) return 2;
    between_writes_site(i);
    if (write(pair[0], line, (size_t)n) != n || read(pair[1], back, sizeof back) != n || memcmp(line, back, 10)) bad++;
  }
  for (int i = 0; i < 1000; i++) {
    snprintf(line, sizeof line, "line %04d\n", i);
    bad += pread(file, back, 10, i * 10) != 10 || memcmp(line, back, 10) != 0;
  }
  struct stat status;
  fstat(file, &status);
  printf("descriptor %d, %ld bytes, %d bad\n", file, (long)status.st_size, bad);
  return 0;
}
