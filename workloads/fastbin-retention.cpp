// fastbin-retention: 4,000,000 blocks of 24 bytes are freed and nothing comes back. glibc puts small chunks on its fast bins
// without merging them; only a request or free above 64 KiB merges them, and then the heap shrinks at once.
#include "common.h"

using namespace workload;

namespace {

[[gnu::noinline]] void allocate_all(void** blocks, std::uint64_t count, std::size_t size) {
  for (std::uint64_t i = 0; i < count; ++i) {
    blocks[i] = xmalloc(size);
    std::memset(blocks[i], 1, size);
  }
}

}  // namespace

int main(int argc, char** argv) {
  Options options(argc, argv);
  const std::uint64_t count = options.number("blocks", 4'000'000, 1, 1'000'000'000);
  const std::size_t size = options.number("size", 24, 1, 1 << 20);
  options.done();

  void** blocks = map_anonymous<void*>(count);
  phase("base");
  phase("alloc");
  allocate_all(blocks, count, size);
  phase("free");
  for (std::uint64_t i = 0; i < count; ++i) xfree(blocks[i], size);
  fact("fast_bin_bytes", ::mallinfo2().fsmblks);
  phase("large-free");
  xfree(xmalloc(70'000), 70'000);
  return finish(argc, argv);
}
