// Integers of one to ten bytes (LEB128), signed ones by zigzag, and the columns that hold them.
// A ColumnWriter never grows: its capacity is what a whole chunk can need, so that a put needs no check.
// A ColumnReader never reads past its end: it gives zeros and raises a flag, which all columns of a chunk share.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "trace/recording_format.h"

namespace memswell::trace {

constexpr std::uint64_t zigzag(std::uint64_t difference) { return (difference << 1) ^ (0 - (difference >> 63)); }
constexpr std::uint64_t unzigzag(std::uint64_t value) { return (value >> 1) ^ (0 - (value & 1)); }

class ColumnWriter {
 public:
  ColumnWriter() : data_(std::make_unique_for_overwrite<std::uint8_t[]>(kCapacity)), end_(data_.get()) {}

  void put_byte(std::uint8_t byte) { *end_++ = byte; }
  void put(std::uint64_t value) {
    while (value >= 0x80) {
      *end_++ = static_cast<std::uint8_t>(value | 0x80);
      value >>= 7;
    }
    *end_++ = static_cast<std::uint8_t>(value);
  }
  void put_signed(std::uint64_t difference) { put(zigzag(difference)); }

  // Differences of addresses: nearly all are multiples of 16. 0 announces one that is not.
  void put_address(std::uint64_t difference) {
    if ((difference & 15) == 0) {
      put(zigzag(static_cast<std::uint64_t>(static_cast<std::int64_t>(difference) >> 4)) + 1);
    } else {
      put_byte(0);
      put_signed(difference);
    }
  }

  std::span<const std::uint8_t> bytes() const { return {data_.get(), end_}; }
  void clear() { end_ = data_.get(); }

 private:
  // No operation puts more than two numbers into a column. Pages that are never touched cost nothing.
  static constexpr std::size_t kCapacity = std::size_t{disk::kOpsPerChunk} * 2 * disk::kMaxVarintBytes;

  std::unique_ptr<std::uint8_t[]> data_;
  std::uint8_t* end_;
};

class ColumnReader {
 public:
  ColumnReader() = default;
  ColumnReader(std::span<const std::uint8_t> bytes, bool& failed)
      : at_(bytes.data()), end_(at_ + bytes.size()), failed_(&failed) {}

  std::uint8_t get_byte() { return at_ != end_ ? *at_++ : fail(); }
  std::uint64_t get() {
    if (at_ != end_ && *at_ < 0x80) return *at_++;
    return get_long();
  }
  std::uint64_t get_signed() { return unzigzag(get()); }
  std::uint64_t get_address() {
    const std::uint64_t value = get();
    return value != 0 ? unzigzag(value - 1) << 4 : get_signed();
  }
  std::span<const std::uint8_t> get_bytes(std::uint64_t count) {
    if (count > static_cast<std::uint64_t>(end_ - at_)) {
      fail();
      return {};
    }
    const std::uint8_t* begin = at_;
    at_ += count;
    return {begin, at_};
  }

  std::size_t left() const { return static_cast<std::size_t>(end_ - at_); }
  std::uint8_t fail() {
    *failed_ = true;
    at_ = end_;
    return 0;
  }

 private:
  std::uint64_t get_long() {
    std::uint64_t value = 0;
    for (unsigned shift = 0; shift < 64; shift += 7) {
      if (at_ == end_) return fail();
      const std::uint8_t byte = *at_++;
      value |= std::uint64_t{byte & 0x7fu} << shift;
      if (byte < 0x80) return value;
    }
    return fail();
  }

  const std::uint8_t* at_ = nullptr;
  const std::uint8_t* end_ = nullptr;
  bool* failed_ = nullptr;
};

}  // namespace memswell::trace
