// unwinding HOW: stacks that are hard to follow: exceptions, deep recursion, alloca frames.
#include <alloca.h>

#include <stdexcept>

#include "case.h"

struct Guard {
  void* block = malloc(52);
  ~Guard() { free(block); }
};

SITE static int throwing_site(int depth) {
  Guard guard;
  if (depth == 0) throw std::runtime_error("at the bottom");
  return throwing_site(depth - 1) + (guard.block != nullptr);
}

SITE static int recursing_site(int depth) {
  volatile char pad[16] = {};
  if (depth % 100 == 0) free(malloc(72));
  return depth == 0 ? pad[0] : recursing_site(depth - 1) + pad[1];
}

SITE static void alloca_site(int n) {
  char* room = static_cast<char*>(alloca(static_cast<std::size_t>(n)));
  room[n - 1] = 1;
  free(malloc(84));
}

int main(int argc, char** argv) {
  const char* how = argc > 1 ? argv[1] : "throw";
  int caught = 0;
  if (is(how, "throw")) {
    for (int i = 0; i < 200; i++) {
      try {
        throwing_site(20);
      } catch (const std::runtime_error&) {
        caught++;
      }
    }
  }
  if (is(how, "recurse")) recursing_site(20000);
  if (is(how, "alloca")) {
    for (int i = 1; i <= 300; i++) alloca_site(i * 16);
  }
  printf("caught %d\n", caught);
}
