// Allocates in each way that a library in front of malloc may turn into other calls of its own.
#include <new>

#include "case.h"

namespace {

constexpr int kCalls = 200;
void* kept[kCalls];

SITE void malloc_site() {
  for (void*& p : kept) p = memset(malloc(500), 1, 500);
  for (int i = 1; i < kCalls; ++i) free(kept[i]);
}
SITE void calloc_site() {
  for (int i = 0; i < kCalls; ++i) free(calloc(3, 40));
}
SITE void realloc_site() {
  for (int i = 0; i < kCalls; ++i) free(realloc(realloc(nullptr, 100), 3000));
}
SITE void new_site() {
  for (int i = 0; i < kCalls; ++i) ::operator delete(::operator new(60));
}
SITE void new_array_site() {
  for (int i = 0; i < kCalls; ++i) ::operator delete[](::operator new[](70));
}

}  // namespace

int main() {
  malloc_site();
  calloc_site();
  realloc_site();
  new_site();
  new_array_site();
  say("passed on\n");
  return 0;
}
