#include "capture/ring_table.h"

#include <algorithm>
#include <bit>

namespace memswell::capture {
namespace {

constexpr std::uint32_t kWordsPerPageLog2 = 9;  // 4096 / 8
constexpr std::uint32_t kLargestLog2 = 24;
static_assert(format::kPageBytes / 8 == 1u << kWordsPerPageLog2);

std::uint64_t data_pages(std::uint32_t words_log2) { return std::uint64_t{1} << (words_log2 - kWordsPerPageLog2); }

}  // namespace

void RingTable::discover() {
  const format::RunHeader& header = region_.header();
  const std::uint32_t high = std::min(header.rings_high.load(std::memory_order_acquire), format::kRingSlots);
  if (rings_.size() < high) rings_.resize(high);
  for (std::uint32_t block = 0; block * 64 < high; ++block) {
    std::uint64_t active = header.rings_active[block].load(std::memory_order_acquire);
    for (; active != 0; active &= active - 1) {
      const std::uint32_t index = block * 64 + static_cast<std::uint32_t>(std::countr_zero(active));
      if (index < high && rings_[index] == nullptr) open(index);
    }
  }
}

void RingTable::open(std::uint32_t index) {
  format::RingSlot& slot = region_.ring(index);
  const format::SlotState state = slot.state.load(std::memory_order_acquire);
  if (state != format::SlotState::live && state != format::SlotState::closed) return;
  const std::uint32_t words_log2 = slot.words_log2;
  const std::uint32_t data_page = slot.data_page;
  const bool plausible = words_log2 >= kWordsPerPageLog2 && words_log2 <= kLargestLog2 &&
                         slot.process_slot < format::kProcessSlots;
  const std::byte* data = plausible ? region_.pool_pages(data_page, data_pages(words_log2)) : nullptr;
  if (data == nullptr) {
    ++refused_;
    region_.header().rings_active[index / 64].fetch_and(~(std::uint64_t{1} << index % 64));
    return;
  }
  auto ring = std::make_unique<Ring>();
  ring->index = index;
  ring->slot = &slot;
  ring->reader = RingReader(reinterpret_cast<const std::atomic<std::uint64_t>*>(data), words_log2);
  ring->process_slot = slot.process_slot;
  ring->data_page = data_page;
  ring->data_pages = static_cast<std::uint32_t>(data_pages(words_log2));
  without_image_.push_back(ring.get());
  rings_[index] = std::move(ring);
}

bool RingTable::is_done(const Ring& ring) {
  return ring.slot->state.load(std::memory_order_acquire) == format::SlotState::closed &&
         ring.slot->head.load(std::memory_order_acquire) == ring.position;
}

void RingTable::free(Ring& ring) {
  format::RunHeader& header = region_.header();
  format::RingSlot& slot = *ring.slot;
  const std::uint32_t index = ring.index;
  header.rings_active[index / 64].fetch_and(~(std::uint64_t{1} << index % 64), std::memory_order_acq_rel);
  region_.free_pool_pages(ring.data_page, ring.data_pages);
  // A ring that was replaced by a bigger one has handed its walker memory on.
  if (slot.memory_pages != 0) region_.free_pool_pages(slot.memory_page, slot.memory_pages);
  header.ring_pages_used.fetch_sub(ring.data_pages, std::memory_order_relaxed);
  slot.memory_pages = 0;
  slot.thread_pointer = 0;
  std::erase(without_image_, &ring);
  rings_[index] = nullptr;
  slot.state.store(format::SlotState::free, std::memory_order_release);
}

}  // namespace memswell::capture
