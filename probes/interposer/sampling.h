// --sample-allocs: only some blocks are recorded, chosen so that sums over the others can be told from them; exact sums of
// all calls are counted beside. A block that is not chosen costs a few additions to a cache line of its thread: no stack, no
// stamp, no record.
//
//   chosen      usable size ≥ kSampleAlways; else whenever another exponentially distributed number of usable bytes has been
//               allocated by the thread: a block of u bytes with probability 1 − exp(−u / mean), independently of all else
//   remembered  in a set of addresses, so that a free knows whether it must be recorded. The set lies in private pages:
//               a forked child has its parent's as it was at the fork.
#pragma once

#include <cstddef>
#include <cstdint>

#include "process.h"
#include "thread_state.h"
#include "usable_size.h"

namespace memswell::probe {

// Addresses of recorded blocks that live, in buckets of one cache line. A bucket that has ever been full remembers that for
// good: every free that falls into it is recorded, and the recorder passes over those that it does not know.
class SampledSet {
 public:
  void insert(std::uintptr_t address);
  // True: it was in the set, or may have been.
  bool remove(std::uintptr_t address) {
    const std::uint32_t bucket = bucket_of(address);
    const std::uint8_t held = held_[bucket].load(std::memory_order_relaxed);
    return __builtin_expect(held != 0, 0) && remove_from(bucket, held, address);
  }

 private:
  static constexpr std::uint32_t kBuckets = 4096;
  static constexpr std::uint32_t kPlaces = 8;
  static constexpr std::uint8_t kWasFull = 0x80;

  static std::uint32_t bucket_of(std::uintptr_t address) {
    return static_cast<std::uint32_t>((address >> 4) * 0x9e37'79b9'7f4a'7c15 >> 52);
  }
  bool remove_from(std::uint32_t bucket, std::uint8_t held, std::uintptr_t address);

  std::atomic<std::uint8_t> held_[kBuckets];  // blocks in the bucket, kWasFull
  std::atomic<std::uint64_t> place_[kBuckets][kPlaces];
};
static_assert(sizeof(SampledSet) == format::kSampledSetBytes);

// A thread begins: its first distance, from a stream of numbers of its own.
void begin_sampling(ThreadState& t);

// Counts a block that exists now. True: it is to be recorded.
bool sample_block(ThreadState& t, const void* block, std::size_t requested, std::size_t usable);

// Counts a block that is about to end. True: that is to be recorded.
bool sample_release(ThreadState& t, void* block);

// Of realloc: the block before ends; `recorded` as sample_release said. And it lives on, as realloc failed.
void sample_restored(ThreadState& t, void* block, bool recorded);

// What the thread has counted goes to the sums of the process.
void flush_live(ThreadState& t);

// All blocks and bytes of an image that live now, in the counters of its threads.
struct LiveSums {
  std::uint64_t bytes;
  std::uint64_t blocks;
};
LiveSums live_sums(std::uint32_t process_slot, const format::ProcessSlot& slot);

}  // namespace memswell::probe
