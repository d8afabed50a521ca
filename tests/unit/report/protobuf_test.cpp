#include "report/protobuf.h"

#include <gtest/gtest.h>

namespace memswell::report {
namespace {

// The examples of the protocol buffer encoding guide.
TEST(Protobuf, EncodesAVarint) {
  ProtobufMessage message;
  message.varint(1, 150);
  EXPECT_EQ(message.data(), "\x08\x96\x01");
}

TEST(Protobuf, EncodesAString) {
  ProtobufMessage message;
  message.bytes(2, "testing");
  EXPECT_EQ(message.data(), "\x12\x07testing");
}

TEST(Protobuf, PacksRepeatedNumbers) {
  ProtobufMessage message;
  message.packed(6, {3, 270, 86942});
  EXPECT_EQ(message.data(), "\x32\x06\x03\x8e\x02\x9e\xa7\x05");
}

TEST(Protobuf, NestsMessages) {
  ProtobufMessage inner;
  inner.varint(1, 150);
  ProtobufMessage outer;
  outer.message(3, inner);
  EXPECT_EQ(outer.data(), "\x1a\x03\x08\x96\x01");
}

}  // namespace
}  // namespace memswell::report
