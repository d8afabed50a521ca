// Text of bounded length in a fixed buffer: what printf would do, without the heap block that stdio takes for stdout.
#pragma once

#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace workload {

template <std::size_t kCapacity>
class Text {
 public:
  Text& add(const char* text) {
    for (; *text != '\0' && length_ + 1 < kCapacity; ++text) buffer_[length_++] = *text;
    return *this;
  }

  Text& add(std::int64_t value) {
    char digits[24];
    char* at = digits + sizeof digits - 1;
    *at = '\0';
    std::uint64_t rest = value < 0 ? 0 - static_cast<std::uint64_t>(value) : static_cast<std::uint64_t>(value);
    do *--at = static_cast<char>('0' + rest % 10);
    while ((rest /= 10) != 0);
    if (value < 0) *--at = '-';
    return add(at);
  }
  Text& add(std::uint64_t value) { return add(static_cast<std::int64_t>(value)); }

  // "name":  and then the value; the comma before it unless it is the first of its object.
  Text& key(const char* name) {
    if (length_ > 0 && buffer_[length_ - 1] != '{') add(",");
    return add("\"").add(name).add("\":");
  }
  template <class Number>
  Text& member(const char* name, Number value) {
    return key(name).add(static_cast<std::int64_t>(value));
  }
  Text& member(const char* name, const char* value) { return key(name).add("\"").add(value).add("\""); }

  const char* c_str() const { return buffer_; }
  std::size_t length() const { return length_; }
  void clear() { std::memset(buffer_, 0, length_), length_ = 0; }

  void write_to(int fd) {
    for (std::size_t at = 0; at < length_;) {
      const ssize_t n = ::write(fd, buffer_ + at, length_ - at);
      if (n <= 0) break;
      at += static_cast<std::size_t>(n);
    }
    clear();
  }

 private:
  char buffer_[kCapacity] = {};
  std::size_t length_ = 0;
};

}  // namespace workload
