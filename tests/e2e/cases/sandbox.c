/* sandbox HOW: most system calls are answered with EPERM, or end the process at once. */
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#include "case.h"

#define ALLOW(number) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, number, 0, 1), BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)

static char arena[1 << 20];

SITE static void boxed_site(void) {
  for (int i = 0; i < 20000; i++) free(malloc(24 + (unsigned)i % 64));
}

int main(int argc, char** argv) {
  struct sock_filter rules[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
      ALLOW(SYS_write),
      ALLOW(SYS_brk),
      ALLOW(SYS_mmap),
      ALLOW(SYS_munmap),
      ALLOW(SYS_exit_group),
      ALLOW(SYS_newfstatat),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
  };
  const struct sock_fprog program = {sizeof rules / sizeof *rules, rules};
  setvbuf(stdout, arena, _IOFBF, sizeof arena);
  free(malloc(100000)); /* the heap has room from here on: strict mode would end us at the first brk */
  if (argc > 1 && is(argv[1], "strict")) {
    if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT)) return 77;
    boxed_site();
    say("boxed strictly\n");
    syscall(SYS_exit, 0);
  }
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program)) return 77;
  boxed_site();
  say("boxed\n");
  _exit(0);
}
