/* coroutines HOW: code on stacks of its own, from ucontext and from a hand-written switch with nonsense in rbp. */
#define _GNU_SOURCE
#include <sys/mman.h>
#include <ucontext.h>

#include "case.h"

static ucontext_t main_context, own_context;
static int rounds;

SITE static void coroutine_site(void) {
  for (int i = 0; i < 10; i++) free(malloc(80));
}
static void coroutine(void) {
  coroutine_site();
  rounds++;
  swapcontext(&own_context, &main_context);
}
static void ucontexts(void) {
  for (int i = 0; i < 200; i++) {
    char* stack = malloc(16384);
    getcontext(&own_context);
    own_context.uc_stack.ss_sp = stack;
    own_context.uc_stack.ss_size = 16384;
    makecontext(&own_context, coroutine, 0);
    swapcontext(&main_context, &own_context);
    free(stack);
  }
}

SITE static void switched_site(void) {
  free(malloc(94));
  rounds++;
}
#ifdef __x86_64__
/* Calls f at the very end of a mapping, with rbp and the caller's return address meaningless to a walker. */
__attribute__((naked, noinline)) static void call_on(__attribute__((unused)) void* top,
                                                     __attribute__((unused)) void (*f)(void)) {
  __asm__ volatile(
      "push %rbp\n push %rbx\n mov %rsp, %rbx\n mov %rdi, %rsp\n mov $0x123456789, %rbp\n"
      "call *%rsi\n mov %rbx, %rsp\n pop %rbx\n pop %rbp\n ret\n");
}
static void switched(void) {
  char* stack = mmap(NULL, 65536, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  for (int i = 0; i < 500; i++) call_on(stack + 65536, switched_site);
}
#endif

int main(int argc, char** argv) {
  const char* how = argc > 1 ? argv[1] : "ucontext";
  if (is(how, "ucontext")) ucontexts();
#ifdef __x86_64__
  if (is(how, "switch")) switched();
#endif
  printf("%d rounds\n", rounds);
  return 0;
}
