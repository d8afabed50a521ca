// calloc-lazy: calloc hands out 50 MiB and the process does not grow. A block of its own mapping is zero without
// anybody clearing it; a page costs memory when it is first written, and reading it only maps the shared zero page.
//
// Variants: malloc-memset | calloc | calloc-read (one byte a page) | calloc-write (`pages` pages) | calloc-write-half |
//           calloc-write-all | calloc-thp (MADV_HUGEPAGE, one byte every 2 MiB)
#include <algorithm>

#include "common.h"

using namespace workload;

namespace {

constexpr std::size_t kHuge = std::size_t{2} << 20;

[[gnu::noinline]] char* allocate(std::size_t size, bool clear_ourselves) {
  if (!clear_ourselves) return static_cast<char*>(xcalloc(size));
  char* p = static_cast<char*>(xmalloc(size));
  std::memset(p, 0, size);
  return keep(p);
}

[[gnu::noinline]] void touch(const char* variant, char* p, std::size_t size, std::size_t pages) {
  if (is(variant, "calloc-read")) read_pages(p, size);
  if (is(variant, "calloc-write")) write_pages(p + 4096 - (reinterpret_cast<std::uintptr_t>(p) & 4095), pages * 4096);
  if (is(variant, "calloc-write-half")) std::memset(p, 1, size / 2);
  if (is(variant, "calloc-write-all")) std::memset(p, 1, size);
  if (is(variant, "calloc-thp")) {
    char* first = reinterpret_cast<char*>((reinterpret_cast<std::uintptr_t>(p) + kHuge - 1) & ~(kHuge - 1));
    const std::size_t whole = first < p + size ? static_cast<std::size_t>(p + size - first) & ~(kHuge - 1) : 0;
    ::madvise(first, whole, MADV_HUGEPAGE);
    write_pages(first, whole, kHuge);
    fact("huge_range_bytes", whole);
  }
}

}  // namespace

int main(int argc, char** argv) {
  Options options(argc, argv);
  const std::size_t size = options.number("size", 50 << 20, 8192, kMostBytes);
  const std::size_t pages = std::min(options.number("pages", 10, 0, kMostBytes), size / 4096 - 1);
  const char* variant = options.word(
      "variant", "calloc malloc-memset calloc-read calloc-write calloc-write-half calloc-write-all calloc-thp");
  options.done();

  phase("base");
  phase("alloc");
  char* p = allocate(size, is(variant, "malloc-memset"));
  phase("touch");
  touch(variant, p, size, pages);
  const PageCount count = count_pages(p, size);
  fact("present_pages", count.present);
  fact("zero_pages", count.zero);
  phase("free");
  xfree(p, size);
  return finish(argc, argv);
}
