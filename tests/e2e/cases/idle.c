// Three sites keep memory: one that nobody touches again, one that is only read, one that is written in every phase. And a
// mapping of its own of which the first half is written. Argument "fork": all of that happens in a child.
#define _GNU_SOURCE
#include <sys/mman.h>
#include <sys/wait.h>

#include "case.h"

enum { BLOCKS = 200, BYTES = 64 * 1024 };  // 12.5 MiB each
static char *parked[BLOCKS], *table[BLOCKS], *busy[BLOCKS];

SITE static char *site_parked(void) { return memset(malloc(BYTES), 1, BYTES); }
SITE static char *site_table(void) { return memset(malloc(BYTES), 2, BYTES); }
SITE static char *site_busy(void) { return memset(malloc(BYTES), 3, BYTES); }
SITE static char *site_mapped(size_t bytes) {
  char *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  return memset(memory, 4, bytes);
}

static void announce(const char *line) {
  write(2, line, strlen(line));
  usleep(300 * 1000);
}

static int work(void) {
  const size_t half = 4 << 20;
  for (int i = 0; i < BLOCKS; i++) {
    parked[i] = site_parked();
    table[i] = site_table();
    busy[i] = site_busy();
  }
  char *mapped = site_mapped(2 * half);
  announce("@phase serve\n");
  int sum = 0;
  for (int round = 0; round < 3; round++) {
    for (int i = 0; i < BLOCKS; i++) {
      for (int at = 0; at < BYTES; at += 512) {
        sum += table[i][at];
        busy[i][at]++;
      }
    }
    memset(mapped, round, half);
  }
  static char *late[BLOCKS];  // young blocks are no sign of idleness, touched or not
  for (int i = 0; i < BLOCKS; i++) late[i] = calloc(1, BYTES);
  announce("@phase end\n");
  return sum == 3 * BLOCKS * (BYTES / 512) * 2 && late[0] != NULL ? 0 : 1;
}

int main(int argc, char **argv) {
  if (argc == 1) return work();
  const pid_t child = is(argv[1], "fork") ? fork() : -1;
  if (child == 0) _exit(work());
  int status = 1;
  return waitpid(child, &status, 0) == child ? WEXITSTATUS(status) : 1;
}
