// frag-pin: 200,000 blocks are allocated and nearly all freed, yet nothing goes back. Inside the heap a page can only be
// returned by malloc_trim, and only if no live block lies on it; the top of the heap stays if the last block lives.
//
// survivor=4 (one block of four: one on every page)|64|last   blocks=200000   size=1008
#include "common.h"

using namespace workload;

namespace {

[[gnu::noinline]] void allocate_all(void** blocks, std::uint64_t count, std::size_t size) {
  for (std::uint64_t i = 0; i < count; ++i) blocks[i] = std::memset(xmalloc(size), 1, size);
}

// Of every `step` blocks the first one lives on; step 0: only the last of all.
[[gnu::noinline]] void free_all_but(void** blocks, std::uint64_t count, std::size_t size, std::uint64_t step) {
  for (std::uint64_t i = 0; i < count; ++i) {
    const bool lives = step == 0 ? i + 1 == count : i % step == 0;
    if (!lives) xfree(blocks[i], size);
  }
}

}  // namespace

int main(int argc, char** argv) {
  Options options(argc, argv);
  const std::uint64_t count = options.number("blocks", 200'000, 1, 1'000'000'000);
  const std::size_t size = options.number("size", 1008, 1, 1 << 20);
  const char* survivor = options.word("survivor", "4 64 last");
  options.done();
  const std::uint64_t step = is(survivor, "last") ? 0 : std::strtoull(survivor, nullptr, 10);

  void** blocks = map_anonymous<void*>(count);
  reach_page_start();  // then a survivor stands on one page, not on two
  phase("base");
  phase("alloc");
  allocate_all(blocks, count, size);
  phase("free");
  free_all_but(blocks, count, size, step);
  phase("trim");
  ::malloc_trim(0);
  return finish(argc, argv);
}
