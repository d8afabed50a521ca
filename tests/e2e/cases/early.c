/* Blocks made before any constructor, in a constructor with priority, and in a needed library's constructor. */
#include "case.h"

extern void* early_blocks[25];
static void *first[12], *second[15];

SITE static void preinit_site(void) {
  for (int i = 0; i < 12; i++) first[i] = malloc(70);
}
static void preinit(int argc, char** argv, char** environment) {
  (void)argc, (void)argv, (void)environment;
  preinit_site();
}
__attribute__((section(".preinit_array"), used)) static void (*const entry)(int, char**, char**) = preinit;

SITE static void constructor_site(void) {
  for (int i = 0; i < 15; i++) second[i] = calloc(3, 30);
}
__attribute__((constructor(101))) static void begin(void) { constructor_site(); }

int main(void) {
  int blocks = 0;
  for (int i = 0; i < 25; i++) blocks += early_blocks[i] != NULL;
  for (int i = 0; i < 12; i++) blocks += first[i] != NULL;
  for (int i = 0; i < 15; i++) blocks += second[i] != NULL;
  for (int i = 0; i < 12; i++) free(first[i]);
  for (int i = 0; i < 15; i++) free(second[i]);
  printf("%d blocks before main\n", blocks);
  return 0;
}
