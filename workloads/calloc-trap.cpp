// calloc-trap: calloc is lazy only the first time. When glibc frees a block of its own mapping it raises its mmap
// threshold to that size (up to 32 MiB), so that the next blocks come from the heap; from the third call on the chunk
// is a recycled one, calloc itself has to clear it, and 16 MiB become resident without a single write by the program.
//
// pin_threshold=1 sets M_MMAP_THRESHOLD, which switches the rule off: every call stays lazy. So do sizes above 32 MiB.
#include "common.h"

using namespace workload;

namespace {

[[gnu::noinline]] void* take_zeroed(std::size_t size) { return xcalloc(size); }

}  // namespace

int main(int argc, char** argv) {
  Options options(argc, argv);
  const std::size_t size = options.number("size", 16 << 20, 1, kMostBytes);
  const std::uint64_t calls = options.number("calls", 5, 1, kMostPasses);
  const bool pinned = options.flag("pin_threshold");
  options.done();
  if (pinned) ::mallopt(M_MMAP_THRESHOLD, 128 * 1024);

  phase("base");
  for (std::uint64_t call = 1; call <= calls; ++call) {
    phase("call", call);
    const double begin = seconds(CLOCK_MONOTONIC);
    void* p = take_zeroed(size);
    fact("calloc_ns", (seconds(CLOCK_MONOTONIC) - begin) * 1e9);
    fact("resident_pages", count_pages(p, size).resident());
    phase("free", call);
    xfree(p, size);
  }
  return finish(argc, argv);
}
