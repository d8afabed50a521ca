// buffer-tail: a byte buffer grows by an eighth and keeps the spare bytes for later. How much of the spare tail is
// resident depends on who cleared it: nobody (realloc), the program (memset to the capacity), or calloc and copy.
//
// fill=none|memset|calloc   The buffer tells memswell how much of it holds data (memswell_used).
#include "common.h"

using namespace workload;

namespace {

struct Buffer {
  char* bytes = nullptr;
  std::size_t used = 0;
  std::size_t capacity = 0;
};

[[gnu::noinline]] void grow(Buffer& buffer, std::size_t needed, const char* fill) {
  const std::size_t capacity = needed + needed / 8 + 6;
  if (is(fill, "calloc")) {
    char* fresh = static_cast<char*>(xcalloc(capacity));
    if (buffer.bytes != nullptr) {
      std::memcpy(fresh, buffer.bytes, buffer.used);
      xfree(buffer.bytes, buffer.capacity);
    }
    buffer.bytes = fresh;
  } else {
    buffer.bytes = static_cast<char*>(xrealloc(buffer.bytes, buffer.capacity, capacity));
    if (is(fill, "memset")) std::memset(buffer.bytes + buffer.used, 0, capacity - buffer.used);
  }
  buffer.capacity = capacity;
}

void append(Buffer& buffer, const char* data, std::size_t bytes, const char* fill) {
  if (buffer.used + bytes > buffer.capacity) grow(buffer, buffer.used + bytes, fill);
  std::memcpy(buffer.bytes + buffer.used, data, bytes);
  buffer.used += bytes;
}

}  // namespace

int main(int argc, char** argv) {
  Options options(argc, argv);
  const std::size_t size = options.number("size", 50 << 20, 4096, kMostBytes);
  const char* fill = options.word("fill", "none memset calloc");
  options.done();
  ::mallopt(M_MMAP_THRESHOLD, 128 * 1024);  // so that each large buffer is fresh memory, whatever came before

  static char piece[4096];
  std::memset(piece, 'x', sizeof piece);
  Buffer buffer;
  phase("base");
  phase("append");
  while (buffer.used < size) append(buffer, piece, sizeof piece, fill);
  memswell_used(buffer.bytes, buffer.used);
  const PageCount tail = count_whole_pages(buffer.bytes + buffer.used, buffer.capacity - buffer.used);
  fact("used_bytes", buffer.used);
  fact("capacity_bytes", buffer.capacity);
  fact("overallocated_bytes", buffer.capacity - buffer.used);
  fact("tail_pages", tail.pages);
  fact("tail_resident_pages", tail.resident());
  phase("free");
  xfree(buffer.bytes, buffer.capacity);
  return finish(argc, argv);
}
