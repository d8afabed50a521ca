// Takes the records out of one ring (trace/format.h). What stands there was written by a program that may be broken or
// hostile: every word is read once, every length is checked against what the ring holds, indices are masked.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <optional>
#include <string>

#include "base/ids.h"
#include "trace/format.h"

namespace memswell::capture {

// A record with its head words decoded. Valid until the ring's tail moves past it.
struct RingRecord {
  format::RecordKind kind = format::RecordKind::none;
  std::uint8_t small = 0;
  std::uint8_t level = 0;
  Address address = 0;
  std::uint64_t stamp = 0;
  Bytes requested = 0;  // kinds with a stack
  Bytes usable = 0;
  std::uint32_t keep = 0;
  std::uint32_t push = 0;
  std::array<std::uint64_t, 2> extra{};  // the words after usable and requested, as the kind says
  std::uint64_t payload = 0;             // position of the pcs, or of a text's first word
  std::uint32_t text_bytes = 0;
  std::uint64_t words = 0;  // length of the whole record
};

inline constexpr std::uint32_t kTextLimitBytes = 4096;  // PATH_MAX; names are far shorter

class RingReader {
 public:
  enum class Outcome : std::uint8_t { record, empty, broken };

  RingReader() = default;
  RingReader(const std::atomic<std::uint64_t>* words, std::uint32_t words_log2)
      : words_(words), mask_((std::uint64_t{1} << words_log2) - 1) {}

  std::uint64_t capacity() const { return mask_ + 1; }
  std::uint64_t word(std::uint64_t position) const { return words_[position & mask_].load(std::memory_order_relaxed); }

  // Decodes the record at `position`; `head` is where the words written so far end.
  Outcome read(std::uint64_t position, std::uint64_t head, RingRecord& record) const {
    const std::uint64_t available = head - position;
    if (available == 0) return Outcome::empty;
    if (available > capacity() || available < 2) [[unlikely]] return Outcome::broken;
    __builtin_prefetch(&words_[(position + kWordsAhead) & mask_]);
    const std::uint64_t first = word(position);
    record.kind = static_cast<format::RecordKind>(first & 0xff);
    record.small = static_cast<std::uint8_t>(first >> 8);
    record.address = first >> 16;
    record.stamp = word(position + 1);
    if (record.kind != format::RecordKind::free) return read_rest(position, available, record);
    record.words = 2;
    return Outcome::record;
  }

  // Only the stamp, for merging: 0 if there is no whole head.
  std::uint64_t stamp_at(std::uint64_t position) const { return word(position + 1); }

  std::string text(const RingRecord& record) const;

 private:
  // Records lie in the cache of the CPU that wrote them; a line takes 60 ns from there, as long as two records to translate.
  static constexpr std::uint64_t kWordsAhead = 64;

  // All but the first two words, of which `available` has at least so many.
  Outcome read_rest(std::uint64_t position, std::uint64_t available, RingRecord& record) const;

  const std::atomic<std::uint64_t>* words_ = nullptr;
  std::uint64_t mask_ = 0;
};

}  // namespace memswell::capture
