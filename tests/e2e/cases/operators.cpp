// All forms of operator new, each a known number of times; a request that fails and is caught.
#include <cstddef>
#include <memory>
#include <new>
#include <vector>

#include "case.h"

constexpr int kTimes = 30;
struct alignas(64) Wide {
  char bytes[192];
};
struct OwnNew {
  char bytes[48];
  static void* operator new(std::size_t n) { return malloc(n); }
  static void operator delete(void* p) { free(p); }
};

SITE static void plain_site() {
  for (int i = 0; i < kTimes; i++) delete new double(1);
}
SITE static void array_site() {
  for (int i = 0; i < kTimes; i++) delete[] new char[100];
}
SITE static void nothrow_site() {
  for (int i = 0; i < kTimes; i++) delete new (std::nothrow) long(1);
}
SITE static void nothrow_array_site() {
  for (int i = 0; i < kTimes; i++) delete[] new (std::nothrow) char[101];
}
SITE static void aligned_site() {
  for (int i = 0; i < kTimes; i++) delete new Wide;
}
SITE static void aligned_array_site() {
  for (int i = 0; i < kTimes; i++) delete[] new Wide[2];
}
SITE static void own_new_site() {
  for (int i = 0; i < kTimes; i++) delete new OwnNew;
}
SITE static void direct_site() {
  for (int i = 0; i < kTimes; i++) ::operator delete(::operator new(103), 103);
}
SITE static void container_site() {
  for (int i = 0; i < kTimes; i++) std::vector<int>(26).front() = i;
}
SITE static void failing_site() {
  volatile std::size_t huge = PTRDIFF_MAX;
  for (int i = 0; i < kTimes; i++) {
    if (::operator new(huge, std::nothrow) != nullptr) abort();
  }
}

int main() {
  plain_site(), array_site(), nothrow_site(), nothrow_array_site(), aligned_site(), aligned_array_site();
  own_new_site(), direct_site(), container_site(), failing_site();
  say("operators done\n");
}
