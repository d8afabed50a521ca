// calloc-bench: malloc and memset against calloc, over sizes from 10 bytes to 100 MB; a phase for each size, with
// the time of the first and of the fastest of several calls, and what was resident while the block lived.
//
// method=malloc-memset|calloc   access=none|read|write   recycle=0: every block is fresh, as M_MMAP_THRESHOLD is pinned and
// the heap trimmed; 1: glibc's default, where the blocks of a size soon come out of recycled memory.
#include "common.h"

using namespace workload;

namespace {

struct Row {
  double first_ns = 0, fastest_ns = 1e18;
  std::uint64_t resident_bytes = 0;  // of the last block, before it is freed
};

[[gnu::noinline]] char* zeroed(std::size_t size, bool use_calloc) {
  if (use_calloc) return static_cast<char*>(xcalloc(size));
  char* p = static_cast<char*>(xmalloc(size));
  std::memset(p, 0, size);
  return keep(p);
}

// Blocks too small for the clock are taken `batch` times between two readings.
Row measure(std::size_t size, bool use_calloc, const char* access, std::uint64_t loops, std::uint64_t batch) {
  Row row;
  for (std::uint64_t loop = 0; loop < loops; ++loop) {
    const double begin = seconds(CLOCK_MONOTONIC);
    for (std::uint64_t i = 0; i < batch; ++i) {
      char* p = zeroed(size, use_calloc);
      if (is(access, "read")) read_pages(p, size);
      if (is(access, "write")) std::memset(p, 1, size);
      const double spent = (seconds(CLOCK_MONOTONIC) - begin) * 1e9;
      if (loop == 0 && i == 0) row.first_ns = spent;
      if (loop + 1 == loops && i + 1 == batch) row.resident_bytes = count_whole_pages(p, size).resident() * 4096;
      xfree(p, size);
    }
    const double each = (seconds(CLOCK_MONOTONIC) - begin) * 1e9 / static_cast<double>(batch);
    if (loop + 1 < loops && each < row.fastest_ns) row.fastest_ns = each;
  }
  return row;
}

}  // namespace

int main(int argc, char** argv) {
  Options options(argc, argv);
  const bool use_calloc = is(options.word("method", "malloc-memset calloc"), "calloc");
  const char* access = options.word("access", "none read write");
  const bool recycle = options.flag("recycle");
  const std::uint64_t most = options.number("most", 100'000'000, 10, kMostBytes);
  const std::uint64_t loops = options.number("loops", 5, 2, 1'000'000);
  options.done();
  if (!recycle) ::mallopt(M_MMAP_THRESHOLD, 128 * 1024);

  phase("base");
  for (std::size_t size = 10; size <= most; size *= 10) {
    phase("size", size);
    const Row row = measure(size, use_calloc, access, loops, size <= 10'000 ? 100 : 1);
    fact("first_ns", row.first_ns);
    fact("fastest_ns", row.fastest_ns);
    fact("block_resident_bytes", row.resident_bytes);
    if (!recycle) ::malloc_trim(0);
  }
  return finish(argc, argv);
}
