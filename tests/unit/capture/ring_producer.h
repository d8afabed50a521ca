// Fills rings of a real region as a recorded program does, for tests of the recorder's side.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string_view>
#include <vector>

#include "capture/region.h"
#include "capture/ring.h"
#include "trace/format.h"

namespace memswell::capture::test {

using format::RecordKind;

inline std::uint64_t first_word(RecordKind kind, Address address, std::uint64_t small = 0) {
  return static_cast<std::uint64_t>(kind) | small << 8 | address << 16;
}

inline std::uint64_t stack_word(Bytes size, std::uint64_t level, std::uint64_t keep, std::uint64_t push) {
  return size | level << format::kLevelShift | keep << format::kKeepShift | push << format::kPushShift;
}

// One ring of the region and the recorder's view of it.
class RingProducer {
 public:
  // 512 words a page. Pages 1 … of the pool must be free.
  RingProducer(const Region& region, std::uint32_t slot, std::uint32_t page, std::uint32_t words_log2 = 9)
      : words_(reinterpret_cast<std::atomic<std::uint64_t>*>(region.pool_pages(page, 1u << (words_log2 - 9)))),
        mask_((std::uint64_t{1} << words_log2) - 1),
        slot_(region.ring(slot)) {
    slot_.data_page = page;
    slot_.words_log2 = words_log2;
    slot_.process_slot = 0;
    slot_.state.store(format::SlotState::live);
    region.header().rings_active[slot / 64].fetch_or(std::uint64_t{1} << slot % 64);
    if (region.header().rings_high.load() <= slot) region.header().rings_high.store(slot + 1);
    ring.index = slot;
    ring.slot = &slot_;
    ring.reader = RingReader(words_, words_log2);
  }

  void append(std::initializer_list<std::uint64_t> words) { append(std::vector<std::uint64_t>(words)); }
  void append(const std::vector<std::uint64_t>& words) {
    const std::uint64_t head = slot_.head.load();
    for (std::size_t i = 0; i < words.size(); ++i) words_[(head + i) & mask_].store(words[i]);
    slot_.head.store(head + words.size());
  }

  void malloc(Address address, std::uint64_t stamp, Bytes size = 16) {
    append({first_word(RecordKind::malloc, address, 8), stamp, stack_word(size, 0, 0, 0)});
  }
  void free(Address address, std::uint64_t stamp) { append({first_word(RecordKind::free, address), stamp}); }

  // As if `words` had gone through the ring before.
  void start_at(std::uint64_t words) {
    slot_.head.store(words);
    slot_.tail.store(words);
    ring.position = ring.released = words;
  }

  Ring ring;

 private:
  std::atomic<std::uint64_t>* words_;
  std::uint64_t mask_;
  format::RingSlot& slot_;
};

}  // namespace memswell::capture::test
