#include "sampling.h"

namespace memswell::probe {
namespace {

constexpr double kLn2 = 0.693147180559945309417232121458;

// One instruction: what a signal handler adds in between is not lost, and no other thread writes here.
void add_to(std::atomic<std::uint64_t>& sum, std::uint64_t value) {
  asm volatile("addq %1, %0" : "+m"(reinterpret_cast<std::uint64_t&>(sum)) : "er"(value) : "cc");
}

std::uint64_t mixed(std::uint64_t x) {
  x = (x ^ x >> 30) * 0xbf58'476d'1ce4'e5b9;
  x = (x ^ x >> 27) * 0x94d0'49bb'1331'11eb;
  return x ^ x >> 31;
}

std::uint64_t next_random(ThreadState& t) { return mixed(t.random += 0x9e37'79b9'7f4a'7c15); }

// −ln(n / 2^53) for 0 < n ≤ 2^53, to 10^−9: n = 2^e · m with m in [1, 2), ln m = 2 artanh((m − 1) / (m + 1)).
double minus_log(std::uint64_t n) {
  const int e = 63 - __builtin_clzll(n);
  const double m = static_cast<double>(n) / static_cast<double>(std::uint64_t{1} << e);
  const double z = (m - 1) / (m + 1);
  const double square = z * z;
  double sum = 0;
  for (int k = 17; k >= 1; k -= 2) sum = sum * square + 1.0 / k;
  return (53 - e) * kLn2 - 2 * z * sum;
}

// Usable bytes until the next chosen block. The process of choices has no memory: it may begin anew after each.
std::int64_t next_distance(ThreadState& t) {
  const std::uint64_t n = (next_random(t) >> 11) + 1;
  const double distance = minus_log(n) * static_cast<double>(process.header->sample_bytes);
  return distance < 4e18 ? static_cast<std::int64_t>(distance) : std::int64_t{1} << 62;
}

bool chosen(ThreadState& t, std::size_t usable) {
  bool crossed;
  asm volatile("subq %2, %0" : "+m"(t.sample_left), "=@ccs"(crossed) : "er"(usable) : "cc");
  if (__builtin_expect(!crossed, 1)) return false;
  t.sample_left = next_distance(t);
  return true;
}

void raise_to(std::atomic<std::uint64_t>& high, std::uint64_t value) {
  std::uint64_t seen = high.load(std::memory_order_relaxed);
  while (seen < value && !high.compare_exchange_weak(seen, value)) {}
}

void change_live(ThreadState& t, std::uint64_t difference) {
  format::CallCounters& c = t.ring->counters;
  add_to(c.pending, difference);
  const auto pending = static_cast<std::int64_t>(c.pending.load(std::memory_order_relaxed));
  if (pending > static_cast<std::int64_t>(c.pending_peak.load(std::memory_order_relaxed)))
    c.pending_peak.store(static_cast<std::uint64_t>(pending), std::memory_order_relaxed);
  constexpr auto kMost = static_cast<std::int64_t>(format::kMostPendingBytes);
  if (__builtin_expect(pending > kMost || pending < -kMost, 0)) flush_live(t);
}

}  // namespace

void flush_live(ThreadState& t) {
  format::CallCounters& c = t.ring->counters;
  const std::uint64_t moved = c.pending.exchange(0, std::memory_order_relaxed);
  const std::uint64_t before = process.slot->live_bytes.fetch_add(moved, std::memory_order_relaxed);
  raise_to(process.slot->peak_live_bytes, before + c.pending_peak.exchange(0, std::memory_order_relaxed));
}

void SampledSet::insert(std::uintptr_t address) {
  const std::uint32_t bucket = bucket_of(address);
  held_[bucket].fetch_add(1);
  for (auto& place : place_[bucket]) {
    std::uint64_t empty = 0;
    if (place.load(std::memory_order_relaxed) == 0 && place.compare_exchange_strong(empty, address)) return;
  }
  held_[bucket].fetch_or(kWasFull);
  held_[bucket].fetch_sub(1);
}

bool SampledSet::remove_from(std::uint32_t bucket, std::uint8_t held, std::uintptr_t address) {
  for (auto& place : place_[bucket]) {
    if (place.load(std::memory_order_relaxed) != address) continue;
    place.store(0, std::memory_order_relaxed);
    held_[bucket].fetch_sub(1);
    return true;
  }
  return (held & kWasFull) != 0;
}

void begin_sampling(ThreadState& t) {
  const std::uint64_t stream = process.sample_streams.fetch_add(1, std::memory_order_relaxed);
  t.random = mixed(process.header->sample_seed + (std::uint64_t{process.slot_index} << 40) + stream);
  t.sample_left = next_distance(t);
}

bool sample_block(ThreadState& t, const void* block, std::size_t requested, std::size_t usable) {
  format::CallCounters& c = t.ring->counters;
  add_to(c.calls, 1);
  add_to(c.allocated_bytes, requested);
  change_live(t, usable);
  if (usable < format::kSampleAlwaysBytes && !chosen(t, usable)) return false;
  if (process.sampled != nullptr) process.sampled->insert(reinterpret_cast<std::uintptr_t>(block));
  return true;
}

bool sample_release(ThreadState& t, void* block) {
  add_to(t.ring->counters.frees, 1);
  change_live(t, 0 - usable_size(t, block, 0));
  return process.sampled == nullptr || process.sampled->remove(reinterpret_cast<std::uintptr_t>(block));
}

void sample_restored(ThreadState& t, void* block, bool recorded) {
  add_to(t.ring->counters.frees, ~std::uint64_t{0});
  change_live(t, usable_size(t, block, 0));
  if (recorded && process.sampled != nullptr) process.sampled->insert(reinterpret_cast<std::uintptr_t>(block));
}

LiveSums live_sums(std::uint32_t process_slot, const format::ProcessSlot& slot) {
  LiveSums sums{slot.live_bytes.load(std::memory_order_relaxed), slot.live_blocks.load(std::memory_order_relaxed)};
  const auto* rings = reinterpret_cast<const format::RingSlot*>(reinterpret_cast<char*>(process.header) + process.header->ring_offset);
  const std::uint32_t high = process.header->rings_high.load(std::memory_order_relaxed);
  for (std::uint32_t i = 0; i < high && i < format::kRingSlots; ++i) {
    const format::SlotState state = rings[i].state.load(std::memory_order_relaxed);
    const bool counts = state == format::SlotState::live || state == format::SlotState::closed;
    if (!counts || rings[i].process_slot != process_slot) continue;
    const format::CallCounters& c = rings[i].counters;
    sums.bytes += c.pending.load(std::memory_order_relaxed);
    sums.blocks += c.calls.load(std::memory_order_relaxed) - c.frees.load(std::memory_order_relaxed);
  }
  return sums;
}

}  // namespace memswell::probe
