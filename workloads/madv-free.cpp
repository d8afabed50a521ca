// madv-free: memory given back with MADV_FREE stays in RSS until the kernel needs it. It looks like clean private memory
// (Private_Clean, LazyFree); a page that is written again counts again. MADV_DONTNEED takes everything away at once.
#include "common.h"

using namespace workload;

int main(int argc, char** argv) {
  Options options(argc, argv);
  const std::size_t size = options.number("size", 100 << 20, 8192, kMostBytes);
  options.done();

  char* p = map_anonymous<char>(size);
  phase("base");
  phase("dirty");
  std::memset(p, 1, size);
  phase("free");
  if (::madvise(p, size, MADV_FREE) != 0) std::abort();
  phase("rewrite-half");
  write_pages(p, size / 2);
  phase("dontneed");
  ::madvise(p, size, MADV_DONTNEED);
  return finish(argc, argv);
}
