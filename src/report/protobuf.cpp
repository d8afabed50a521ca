#include "report/protobuf.h"

namespace memswell::report {
namespace {

constexpr std::uint32_t kVarint = 0;
constexpr std::uint32_t kLengthDelimited = 2;

}  // namespace

void ProtobufMessage::raw(std::uint64_t value) {
  for (; value >= 0x80; value >>= 7) data_ += static_cast<char>((value & 0x7f) | 0x80);
  data_ += static_cast<char>(value);
}

void ProtobufMessage::varint(std::uint32_t field, std::uint64_t value) {
  raw(std::uint64_t{field} << 3 | kVarint);
  raw(value);
}

void ProtobufMessage::bytes(std::uint32_t field, std::string_view value) {
  raw(std::uint64_t{field} << 3 | kLengthDelimited);
  raw(value.size());
  data_ += value;
}

void ProtobufMessage::packed(std::uint32_t field, const std::vector<std::uint64_t>& values) {
  ProtobufMessage inner;
  for (const std::uint64_t value : values) inner.raw(value);
  bytes(field, inner.data_);
}

}  // namespace memswell::report
