// Little-endian numbers and counted strings, written to and read from memory. The reader never reads beyond its end: it
// returns zeros and remembers that it failed, so that a caller checks once.
#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

namespace memswell::symbols {

class ByteWriter {
 public:
  template <class Integer>
  void put(Integer value) {
    for (std::size_t i = 0; i < sizeof value; ++i)
      bytes_ += static_cast<char>(static_cast<std::uint64_t>(value) >> (8 * i));
  }
  void put_text(std::string_view text) {
    put(static_cast<std::uint32_t>(text.size()));
    bytes_ += text;
  }
  std::string take() { return std::move(bytes_); }

 private:
  std::string bytes_;
};

class ByteReader {
 public:
  explicit ByteReader(std::string_view bytes) : bytes_(bytes) {}

  template <class Integer>
  Integer get() {
    std::uint64_t value = 0;
    const std::string_view raw = take(sizeof(Integer));
    for (std::size_t i = 0; i < raw.size(); ++i) value |= std::uint64_t{static_cast<unsigned char>(raw[i])} << (8 * i);
    return static_cast<Integer>(value);
  }
  std::string_view get_text() { return take(get<std::uint32_t>()); }

  // A count of things of at least `least_bytes` each: a count that cannot be true fails here, before memory is taken.
  std::uint32_t get_count(std::size_t least_bytes) {
    const auto count = get<std::uint32_t>();
    if (count > bytes_.size() / least_bytes) failed_ = true;
    return failed_ ? 0 : count;
  }
  bool failed() const { return failed_; }
  bool at_end() const { return bytes_.empty(); }

 private:
  std::string_view take(std::size_t count) {
    if (count > bytes_.size()) failed_ = true;
    if (failed_) return {};
    const std::string_view taken = bytes_.substr(0, count);
    bytes_.remove_prefix(count);
    return taken;
  }

  std::string_view bytes_;
  bool failed_ = false;
};

}  // namespace memswell::symbols
