/* Code made at run time calls malloc: no symbol, no unwind data, no module. */
#include <sys/mman.h>

#include "case.h"

#ifdef __x86_64__
/* sub $8, %rsp; movabs $malloc, %rax; mov $92, %edi; call *%rax; add $8, %rsp; ret */
static unsigned char code[] = {0x48, 0x83, 0xec, 0x08, 0x48, 0xb8, 0,    0,    0,    0,    0,    0,    0,
                               0,    0xbf, 92,   0,    0,    0,    0xff, 0xd0, 0x48, 0x83, 0xc4, 0x08, 0xc3};
#endif

SITE static void generated_code_caller(void* (*f)(void)) {
  for (int i = 0; i < 600; i++) free(f());
}

int main(void) {
  void* (*const target)(size_t) = malloc;
  memcpy(code + 6, &target, 8);
  void* page = mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  memcpy(page, code, sizeof code);
  generated_code_caller((void* (*)(void))page);
  say("600 from generated code\n");
  return 0;
}
