// Blocks of many sizes and lifetimes, the same in each run: three phases, a child that goes on with what it inherited.
// First argument: blocks a phase.
#include <stdint.h>
#include <sys/wait.h>

#include "case.h"
#include "memswell/memswell.h"

enum { kSlots = 3000 };
static void *slots[kSlots];
static uint64_t state = 88172645463325252u;

static uint64_t dice(void) {
  state ^= state << 13;
  state ^= state >> 7;
  return state ^= state << 17;
}

SITE static void *even_site(size_t bytes) { return malloc(bytes); }
SITE static void *odd_site(size_t bytes) { return calloc(1, bytes); }
SITE static void *grown_site(void *block, size_t bytes) { return realloc(block, bytes); }

static void churn(long blocks) {
  for (long i = 0; i < blocks; i++) {
    void **slot = &slots[dice() % kSlots];
    const size_t bytes = 1 + dice() % 1500;
    free(*slot);
    *slot = bytes % 2 == 0 ? even_site(bytes) : odd_site(bytes);
    if (bytes % 7 == 0) *slot = grown_site(*slot, 2 * bytes);
  }
}

int main(int argc, char **argv) {
  const long blocks = argc > 1 ? atol(argv[1]) : 100000;
  memswell_phase("first");
  churn(blocks);
  memswell_phase("second");
  churn(blocks);
  memswell_phase("third");
  const pid_t child = fork();
  if (child == 0) {
    churn(blocks / 2);
    _exit(0);
  }
  waitpid(child, NULL, 0);
  churn(blocks);
  say("churned\n");
  return 0;
}
