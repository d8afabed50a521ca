// A string that grows by realloc, with three policies: exactly what is needed; a quarter of the length more (Perl since
// 5.13.4, sv_grow); the next power of two. And what its reallocs did: in place, remapped by the kernel, or copied.
#pragma once

#include <malloc.h>

#include "common/options.h"
#include "common/tally.h"

namespace workload {

enum class Growth { exact, plus25, pow2 };

inline Growth growth_named(const char* name) {
  return is(name, "plus25") ? Growth::plus25 : is(name, "pow2") ? Growth::pow2 : Growth::exact;
}

// Bytes to ask for, so that `needed` fit; a multiple of 8.
inline std::size_t grown_capacity(Growth growth, std::size_t length, std::size_t needed) {
  if (growth == Growth::plus25 && needed < length + length / 4 + 10) needed = length + length / 4 + 10;
  needed = (needed + 7) & ~std::size_t{7};
  std::size_t power = 16;
  while (growth == Growth::pow2 && power < needed) power *= 2;
  return growth == Growth::pow2 ? power : needed;
}

struct GrowingString {
  char* bytes = nullptr;
  std::size_t length = 0;    // a zero byte follows
  std::size_t capacity = 0;  // as requested
};

struct GlibcStrings {
  Growth growth;
  std::uint64_t reallocs = 0, moved = 0, remapped = 0, copied_bytes = 0;

  void append(GrowingString& string, const char* text, std::size_t bytes) {
    const std::size_t needed = string.length + bytes + 1;
    if (needed > string.capacity) grow(string, grown_capacity(growth, string.length, needed));
    std::memcpy(string.bytes + string.length, text, bytes);
    string.length += bytes;
    string.bytes[string.length] = '\0';
  }

  // glibc marks a chunk that is a mapping of its own by bit 1 of the size before it; such a chunk moves by mremap.
  static bool is_mapping(const char* p) { return p != nullptr && (reinterpret_cast<const std::size_t*>(p)[-1] & 2) != 0; }

  [[gnu::noinline]] void grow(GrowingString& string, std::size_t capacity) {
    const volatile std::uintptr_t before = reinterpret_cast<std::uintptr_t>(string.bytes);
    const bool was_mapping = is_mapping(string.bytes);
    string.bytes = static_cast<char*>(xrealloc(string.bytes, string.capacity, capacity));
    ++reallocs;
    if (before != 0 && before != reinterpret_cast<std::uintptr_t>(string.bytes)) {
      ++moved;
      if (was_mapping && is_mapping(string.bytes)) ++remapped;
      else copied_bytes += string.capacity;
    }
    string.capacity = capacity;
  }
};

}  // namespace workload
