/* Exports functions of the C library under their names; they allocate, and count how often they are called. */
#define _GNU_SOURCE
#include <sys/syscall.h>

#include "case.h"

static int writes, reads, lookups;

__attribute__((visibility("default"))) ssize_t write(int fd, const void* bytes, size_t n) {
  writes++;
  free(malloc(77));
  return syscall(SYS_write, fd, bytes, n);
}
__attribute__((visibility("default"))) ssize_t read(int fd, void* bytes, size_t n) {
  reads++;
  return syscall(SYS_read, fd, bytes, n);
}
__attribute__((visibility("default"))) char* getenv(const char* name) {
  (void)name;
  lookups++;
  return NULL;
}

SITE static void plain_site(void) {
  for (int i = 0; i < 20000; i++) free(malloc(40));
}

int main(void) {
  const int before = writes + reads + lookups;
  plain_site();
  const int during = writes + reads + lookups - before;
  printf("called %d times meanwhile\n", during);
  return 0;
}
