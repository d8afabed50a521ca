// Turns records (record_fields.h) into bytes and back. The decoder is fed by anybody: it checks every length, bound and
// enum, never reserves more than the bytes at hand can fill, and takes a record only if it is used up exactly.
#pragma once

#include <concepts>
#include <cstdint>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "trace/record_fields.h"
#include "trace/recording_format.h"
#include "trace/varint.h"

namespace memswell::trace {

template <class T>
struct IsId : std::false_type {};
template <class Tag>
struct IsId<Id<Tag>> : std::true_type {};
template <class T>
concept AnyId = IsId<T>::value;
template <class T>
concept Unsigned = std::unsigned_integral<T> && !std::same_as<T, bool>;
template <class T>
concept AnyEnum = std::is_enum_v<T>;
template <class T>
concept Compound = std::is_class_v<T> && !AnyId<T>;

// What the differences of times and addresses in records refer to; times are shared with all other events.
struct RecordBase {
  Nanoseconds time = 0;
  Address address = 0;
};

class RecordEncoder {
 public:
  RecordEncoder(std::vector<std::uint8_t>& out, RecordBase base) : out_(out), base_(base) {}

  RecordBase base() const { return base_; }
  // Memory that the lists take when decoded: bounded by disk::kMaxListMemory.
  std::uint64_t list_memory() const { return list_memory_; }

  template <class... Fields>
  void operator()(const Fields&... all) {
    (put(all), ...);
  }
  void time(Nanoseconds time) { difference(time, base_.time); }
  void address(Address address) { difference(address, base_.address); }

 private:
  void varint(std::uint64_t value) {
    for (; value >= 0x80; value >>= 7) out_.push_back(static_cast<std::uint8_t>(value | 0x80));
    out_.push_back(static_cast<std::uint8_t>(value));
  }
  void difference(std::uint64_t value, std::uint64_t& base) {
    varint(zigzag(value - base));
    base = value;
  }

  void put(const Unsigned auto& value) { varint(value); }
  void put(const std::signed_integral auto& value) { varint(zigzag(static_cast<std::uint64_t>(std::int64_t{value}))); }
  void put(const AnyEnum auto& value) { varint(static_cast<std::uint64_t>(value)); }
  void put(const AnyId auto& id) { varint(id.value); }
  void put(const bool& value) { out_.push_back(value ? 1 : 0); }
  void put(const std::string& text) {
    varint(text.size());
    out_.insert(out_.end(), text.begin(), text.end());
  }
  void put(const std::vector<std::uint8_t>& bytes) {
    varint(bytes.size());
    out_.insert(out_.end(), bytes.begin(), bytes.end());
  }
  template <class T>
  void put(const std::vector<T>& list) {
    varint(list.size());
    list_memory_ += list.size() * sizeof(T);
    for (const T& element : list) put(element);
  }
  void put(const Compound auto& record) { fields(*this, record); }

  std::vector<std::uint8_t>& out_;
  RecordBase base_;
  std::uint64_t list_memory_ = 0;
};

class RecordDecoder {
 public:
  RecordDecoder(std::span<const std::uint8_t> bytes, RecordBase base) : in_(bytes, failed_), base_(base) {}
  RecordDecoder(const RecordDecoder&) = delete;
  RecordDecoder& operator=(const RecordDecoder&) = delete;

  template <class... Fields>
  void operator()(Fields&... all) {
    (get(all), ...);
  }
  void time(Nanoseconds& time) { time = base_.time += in_.get_signed(); }
  void address(Address& address) { address = base_.address += in_.get_signed(); }

  RecordBase base() const { return base_; }
  bool used_up() const { return !failed_ && in_.left() == 0; }

 private:
  template <Unsigned T>
  void get(T& value) {
    const std::uint64_t wide = in_.get();
    value = static_cast<T>(wide);
    if (value != wide) in_.fail();
  }
  template <std::signed_integral T>
  void get(T& value) {
    const auto wide = static_cast<std::int64_t>(in_.get_signed());
    value = static_cast<T>(wide);
    if (value != wide) in_.fail();
  }
  template <AnyEnum T>
  void get(T& value) {
    const std::uint64_t wide = in_.get();
    if (wide > static_cast<std::uint64_t>(kLastOf<T>)) in_.fail();
    value = static_cast<T>(wide);
  }
  template <AnyId T>
  void get(T& id) {
    get(id.value);
  }
  void get(bool& value) {
    const std::uint8_t byte = in_.get_byte();
    if (byte > 1) in_.fail();
    value = byte == 1;
  }
  void get(std::string& text) {
    const auto bytes = in_.get_bytes(in_.get());
    text.assign(bytes.begin(), bytes.end());
  }
  void get(std::vector<std::uint8_t>& list) {
    const auto bytes = in_.get_bytes(in_.get());
    list.assign(bytes.begin(), bytes.end());
  }
  template <class T>
  void get(std::vector<T>& list) {
    for (std::uint64_t count = in_.get(); count != 0 && !failed_; --count) {
      list_memory_ += sizeof(T);
      if (list_memory_ > disk::kMaxListMemory) in_.fail();
      get(list.emplace_back());
    }
  }
  template <Compound T>
  void get(T& record) {
    fields(*this, record);
  }

  bool failed_ = false;
  ColumnReader in_;
  RecordBase base_;
  std::uint64_t list_memory_ = 0;
};

}  // namespace memswell::trace
