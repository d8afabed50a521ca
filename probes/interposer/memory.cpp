#include "memory.h"

// The compiler itself emits calls to these four; hidden definitions keep such calls inside this library.
extern "C" {

[[gnu::visibility("hidden")]] void* memcpy(void* to, const void* from, std::size_t n) {
  void* result = to;
  asm volatile("rep movsb" : "+D"(to), "+S"(from), "+c"(n)::"memory");
  return result;
}

[[gnu::visibility("hidden")]] void* memset(void* to, int value, std::size_t n) {
  void* result = to;
  asm volatile("rep stosb" : "+D"(to), "+c"(n) : "a"(value) : "memory");
  return result;
}

[[gnu::visibility("hidden")]] void* memmove(void* to, const void* from, std::size_t n) {
  auto* t = static_cast<char*>(to);
  auto* f = static_cast<const char*>(from);
  if (t <= f || t >= f + n) return memcpy(to, from, n);
  while (n-- > 0) {
    t[n] = f[n];
    asm volatile("" ::: "memory");  // or the loop becomes a call to memmove
  }
  return to;
}

[[gnu::visibility("hidden")]] int memcmp(const void* a, const void* b, std::size_t n) {
  auto* x = static_cast<const unsigned char*>(a);
  auto* y = static_cast<const unsigned char*>(b);
  for (std::size_t i = 0; i < n; ++i) {
    if (x[i] != y[i]) return x[i] < y[i] ? -1 : 1;
    asm volatile("" ::: "memory");
  }
  return 0;
}
}

namespace memswell::probe {

void copy_bytes(void* to, const void* from, std::size_t n) { memcpy(to, from, n); }
void zero_bytes(void* to, std::size_t n) { memset(to, 0, n); }
bool equal_bytes(const void* a, const void* b, std::size_t n) { return memcmp(a, b, n) == 0; }

std::size_t text_length(const char* text) {
  std::size_t n = 0;
  while (text[n] != 0) {
    ++n;
    asm volatile("" ::: "memory");
  }
  return n;
}

bool equal_text(const char* a, const char* b) {
  while (*a != 0 && *a == *b) ++a, ++b;
  return *a == *b;
}

bool starts_with(const char* text, const char* prefix) {
  while (*prefix != 0 && *text == *prefix) ++text, ++prefix;
  return *prefix == 0;
}

}  // namespace memswell::probe
