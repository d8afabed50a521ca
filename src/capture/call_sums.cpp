#include "capture/call_sums.h"

#include <algorithm>

#include "capture/ring.h"

namespace memswell::capture {
namespace {

constexpr auto kRelaxed = std::memory_order_relaxed;

void raise_to(std::atomic<std::uint64_t>& high, std::uint64_t value) {
  std::uint64_t seen = high.load(kRelaxed);
  while (seen < value && !high.compare_exchange_weak(seen, value)) {
  }
}

}  // namespace

bool CallSums::counted(const Image& image) const {
  if (region_.header().sample_bytes == 0 || !image.slot) return false;
  const std::uint32_t flags = region_.process(*image.slot).flags.load(kRelaxed);
  return (flags & static_cast<std::uint32_t>(format::ProcessFlag::no_sizes)) == 0;
}

trace::CallTotals CallSums::take(Image& image, Nanoseconds time) const {
  const format::ProcessSlot& slot = region_.process(*image.slot);
  trace::CallTotals totals{.process = image.index, .time = time};
  totals.calls = image.retired_calls.calls;
  totals.allocated_bytes = image.retired_calls.allocated_bytes;
  totals.frees = image.retired_calls.frees;
  totals.live_blocks = slot.live_blocks.load(kRelaxed);
  totals.live_bytes = slot.live_bytes.load(kRelaxed);
  Bytes peak = std::max(slot.peak_live_bytes.load(kRelaxed), totals.live_bytes);
  image.most_rings = std::max(image.most_rings, image.rings.size());
  const Bytes live_before_pending = totals.live_bytes;
  for (const Ring* ring : image.rings) {
    const format::CallCounters& counters = ring->slot->counters;
    const std::uint64_t calls = counters.calls.load(kRelaxed);
    const std::uint64_t frees = counters.frees.load(kRelaxed);
    totals.calls += calls;
    totals.frees += frees;
    totals.allocated_bytes += counters.allocated_bytes.load(kRelaxed);
    totals.live_blocks += calls - frees;
    totals.live_bytes += counters.pending.load(kRelaxed);
    if (image.most_rings == 1) peak = std::max(peak, live_before_pending + counters.pending_peak.load(kRelaxed));
  }
  // A thread that is counting may be caught between two of its numbers.
  if (static_cast<std::int64_t>(totals.live_bytes) < 0) totals.live_bytes = 0;
  if (static_cast<std::int64_t>(totals.live_blocks) < 0) totals.live_blocks = 0;
  totals.usable_bytes = totals.live_bytes;
  peak = std::max(peak, totals.live_bytes);
  // Once told, a peak is of the time before.
  totals.peak_live_bytes = peak > image.told_peak_bytes ? peak : totals.live_bytes;
  totals.peak_live_ns = time;
  image.told_peak_bytes = std::max(image.told_peak_bytes, peak);
  totals.peak_uncertain_bytes = image.most_rings > 1 ? image.most_rings * format::kMostPendingBytes : 0;
  return totals;
}

void CallSums::retire(Image& image, format::RingSlot& ring) const {
  if (!counted(image)) return;
  format::ProcessSlot& slot = region_.process(*image.slot);
  const format::CallCounters& counters = ring.counters;
  const std::uint64_t calls = counters.calls.load(kRelaxed);
  const std::uint64_t frees = counters.frees.load(kRelaxed);
  image.most_rings = std::max(image.most_rings, image.rings.size());
  image.retired_calls.calls += calls;
  image.retired_calls.frees += frees;
  image.retired_calls.allocated_bytes += counters.allocated_bytes.load(kRelaxed);
  slot.live_blocks.fetch_add(calls - frees);
  const std::uint64_t before = slot.live_bytes.fetch_add(counters.pending.load(kRelaxed));
  if (image.most_rings == 1) raise_to(slot.peak_live_bytes, before + counters.pending_peak.load(kRelaxed));
}

void CallSums::begin_window(Image& image) const {
  if (!counted(image)) return;
  format::ProcessSlot& slot = region_.process(*image.slot);
  for (const Ring* ring : image.rings) {
    slot.live_bytes.fetch_add(ring->slot->counters.pending.exchange(0));
    ring->slot->counters.pending_peak.store(0);
  }
  slot.peak_live_bytes.store(slot.live_bytes.load());
  image.told_peak_bytes = slot.live_bytes.load();
}

}  // namespace memswell::capture
