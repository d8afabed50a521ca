#include <algorithm>
#include <array>
#include <map>
#include <random>
#include <string>

#include "tests/unit/trace/sample_events.h"

namespace memswell::trace {
namespace {

// A heap that behaves like glibc's small bins: per thread and size last in first out, else from the top.
class SyntheticHeap {
 public:
  explicit SyntheticHeap(Address begin) : top_(begin) {}

  static Bytes usable(Bytes requested) { return std::max<Bytes>(24, (requested + 8 + 15) / 16 * 16 - 8); }

  Address allocate(std::uint32_t thread, Bytes requested) {
    std::vector<Address>& free = free_[{thread, usable(requested)}];
    if (free.empty()) {
      const Address address = top_;
      top_ += usable(requested) + 8;
      return address;
    }
    const Address address = free.back();
    free.pop_back();
    return address;
  }
  void release(std::uint32_t thread, Address address, Bytes requested) {
    free_[{thread, usable(requested)}].push_back(address);
  }

 private:
  Address top_;
  std::map<std::pair<std::uint32_t, Bytes>, std::vector<Address>> free_;
};

class SyntheticProgram {
 public:
  explicit SyntheticProgram(std::uint64_t seed) : random_(seed) {
    for (std::uint32_t i = 0; i < 2; ++i) events.push_back(process(i));
    for (std::uint32_t i = 0; i < kThreads; ++i) events.push_back(ThreadBegin{process_of(i), {i}, 100 + i, 0});
    for (std::uint32_t i = 1; i <= 5; ++i) events.push_back(Module{{i}, "lib" + std::to_string(i) + ".so", {}});
    for (std::uint32_t i = 1; i <= kStacks; ++i) {
      events.push_back(StackNode{{i}, {i / 3}, {{1 + i % 5}, FrameKind::call, 0x1000 + 7 * (i % 251)}});
    }
  }

  // Short-lived blocks in loops, long-lived ones in between, and from time to time a structure torn down in order.
  void run(std::size_t count) {
    const std::size_t end = events.size() + count;
    while (events.size() < end) {
      const std::uint32_t thread = pick(10) == 0 ? pick(kThreads) : thread_;
      thread_ = thread;
      const std::uint32_t work = pick(100);
      if (work < 60)
        loop_round(thread);
      else if (work < 99)
        grow(thread);
      else
        tear_down(thread);
    }
  }

  std::vector<AnyEvent> events;

 private:
  static constexpr std::uint32_t kThreads = 4;
  static constexpr std::uint32_t kStacks = 3000;
  struct Live {
    Address address;
    Bytes requested;
  };

  std::uint32_t pick(std::uint32_t below) { return static_cast<std::uint32_t>(random_() % below); }
  static ProcessIndex process_of(std::uint32_t thread) { return {thread / 2}; }
  SyntheticHeap& heap(std::uint32_t thread) { return heaps_[thread / 2]; }
  Nanoseconds now() { return time_ += 30 + pick(200) * pick(20); }

  Live allocate(std::uint32_t thread, std::uint32_t stack) {
    const Bytes requested = stack % 4 == 0 ? 1 + pick(200) : 8 + stack % 37 * 8;
    const Live block{heap(thread).allocate(thread, requested), requested};
    events.push_back(Allocation{process_of(thread),
                                {thread},
                                now(),
                                block.address,
                                requested,
                                SyntheticHeap::usable(requested),
                                {stack},
                                AllocationKind::malloc,
                                0});
    return block;
  }
  void release(std::uint32_t thread, const Live& block) {
    events.push_back(Release{process_of(thread), {thread}, now(), block.address, Release::Kind::free});
    heap(thread).release(thread, block.address, block.requested);
  }

  void loop_round(std::uint32_t thread) {
    const std::uint32_t base = 1 + pick(40) * 70;
    std::array<Live, 5> blocks;
    for (std::uint32_t i = 0; i < blocks.size(); ++i) blocks[i] = allocate(thread, base + i);
    for (auto block = blocks.rbegin(); block != blocks.rend(); ++block) release(thread, *block);
  }
  void grow(std::uint32_t thread) {
    for (std::uint32_t i = 0; i < 4; ++i) live_[thread].push_back(allocate(thread, 100 + pick(60)));
  }
  void tear_down(std::uint32_t thread) {
    for (const Live& block : live_[thread]) release(thread, block);
    live_[thread].clear();
  }

  std::mt19937_64 random_;
  std::array<SyntheticHeap, 2> heaps_{SyntheticHeap(0x5555'5555'92a0), SyntheticHeap(0x5555'5555'92a0)};
  std::array<std::vector<Live>, kThreads> live_;
  std::uint32_t thread_ = 0;
  Nanoseconds time_ = 1'000'000;
};

}  // namespace

std::vector<AnyEvent> synthetic_program(std::uint64_t seed, std::size_t count) {
  SyntheticProgram program(seed);
  program.run(count);
  return std::move(program.events);
}

}  // namespace memswell::trace
