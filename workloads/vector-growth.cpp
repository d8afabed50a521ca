// vector-growth: 10,000,000 numbers are pushed onto a std::vector. At each growth the old and the new array live at once,
// and both are resident: the peak is half as high again as what is left. Not so if the size is reserved, or if the
// array is grown by realloc, which lets the kernel move the pages.
//
// variant=push_back|reserve|realloc|brk (push_back, with M_MMAP_MAX=0: the old arrays leave holes in the heap)
#include <vector>

#include "common.h"

using namespace workload;

namespace {

using Numbers = std::vector<std::uint64_t>;

// The vector allocates by operator new; its capacity tells when.
void count_growth(std::size_t before, std::size_t after) {
  if (before == after) return;
  tally.allocated(after * 8);
  if (before != 0) tally.freed(before * 8);
}

[[gnu::noinline]] void push_all(Numbers& numbers, std::uint64_t items) {
  for (std::uint64_t i = 0; i < items; ++i) {
    const std::size_t before = numbers.capacity();
    numbers.push_back(i);
    count_growth(before, numbers.capacity());
  }
}

[[gnu::noinline]] std::uint64_t* grow_by_realloc(std::uint64_t items, std::size_t& capacity) {
  std::uint64_t* numbers = nullptr;
  capacity = 0;
  for (std::uint64_t i = 0; i < items; ++i) {
    if (i == capacity) {
      const std::size_t larger = capacity == 0 ? 16 : capacity * 2;
      numbers = static_cast<std::uint64_t*>(xrealloc(numbers, capacity * 8, larger * 8));
      capacity = larger;
    }
    numbers[i] = i;
  }
  memswell_used(numbers, items * 8);
  return keep(numbers);
}

void use_vector(std::uint64_t items, bool reserve) {
  Numbers numbers;
  phase("push");
  if (reserve) {
    numbers.reserve(items);
    count_growth(0, numbers.capacity());
  }
  push_all(numbers, items);
  memswell_used(numbers.data(), numbers.size() * 8);
  fact("capacity_bytes", numbers.capacity() * 8);
  phase("shrink");
  const std::size_t before = numbers.capacity();
  numbers.shrink_to_fit();
  count_growth(before, numbers.capacity());
  phase("free");
  tally.freed(numbers.capacity() * 8);
}

}  // namespace

int main(int argc, char** argv) {
  Options options(argc, argv);
  const std::uint64_t items = options.number("items", 10'000'000, 1, 10'000'000'000);
  const char* variant = options.word("variant", "push_back reserve realloc brk");
  options.done();
  if (is(variant, "brk")) ::mallopt(M_MMAP_MAX, 0);

  phase("base");
  if (is(variant, "realloc")) {
    std::size_t capacity;
    phase("push");
    std::uint64_t* numbers = grow_by_realloc(items, capacity);
    fact("capacity_bytes", capacity * 8);
    phase("free");
    xfree(numbers, capacity * 8);
  } else {
    use_vector(items, is(variant, "reserve"));
  }
  return finish(argc, argv);
}
