// Just enough of the protocol buffer wire format to write a profile: varints and length-delimited fields.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace memswell::report {

class ProtobufMessage {
 public:
  void varint(std::uint32_t field, std::uint64_t value);
  void bytes(std::uint32_t field, std::string_view value);
  void packed(std::uint32_t field, const std::vector<std::uint64_t>& values);
  void message(std::uint32_t field, const ProtobufMessage& value) { bytes(field, value.data_); }

  const std::string& data() const { return data_; }

 private:
  void raw(std::uint64_t value);

  std::string data_;
};

}  // namespace memswell::report
