// The bytes on disk, as docs/recording-format.md gives them. If this fails, raise disk::kVersion.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "tests/unit/trace/recording_fixture.h"
#include "trace/recording_format.h"

namespace memswell::trace {
namespace {

std::string hex(std::string_view bytes) {
  std::string text;
  for (const char c : bytes) text += fmt::format("{:02x}", static_cast<unsigned char>(c));
  return text;
}

TEST(RecordingFormat, AnEmptyRecordingIsItsHeader) {
  EXPECT_EQ(hex(recording_of([](RecordingWriter&) {})),
            "897377656c6c0d0a"    // "\x89swell\r\n"
            "03000000"            // version
            "06000000"            // time unit 2^6 ns
            "0000000000000000"    // resume_sequence
            "0c98d539a7e5fe6b");  // XXH3
}

std::string one_of_each_operation() {
  return recording_of({
      ProcessBegin{{0}, 100, 42, 1, ProcessStart::exec, {0}, false, "/bin/true", {"true"}},
      ThreadBegin{{0}, {0}, 42, 100},
      Module{{1}, "/bin/true", {0xab}},
      StackNode{{1}, {0}, {{1}, FrameKind::call, 0x1234}},
      Allocation{{0}, {0}, 356, 0x1000, 20, 24, {1}, AllocationKind::malloc, 0},
      Release{{0}, {0}, 1000, 0x1000, Release::Kind::free},
  });
}

TEST(RecordingFormat, HeadersOfAChunkOfOneOfEachOperation) {
  const std::string bytes = one_of_each_operation();
  const std::string_view chunk = std::string_view(bytes).substr(sizeof(disk::FileHeader));
  EXPECT_EQ(hex(chunk.substr(0, sizeof(disk::ChunkHeader))),
            "43686e6b"  // "Chnk"
            "0100"
            "0000"                // type, flags
            "42000000"            // raw bytes
            "ba000000"            // stored bytes
            "0000000000000000"    // sequence
            "49ae8bc8d750a285");  // XXH3
  const std::string_view columns = chunk.substr(sizeof(disk::ChunkHeader));
  EXPECT_EQ(hex(columns.substr(0, disk::kColumns * sizeof(disk::ColumnHeader))),
            "0600000006000000"    // ops: raw and stored bytes
            "0000000000000000"    // contexts
            "0200000002000000"    // times
            "0200000002000000"    // details
            "0000000000000000"    // blocks
            "0200000002000000"    // addresses
            "0000000000000000"    // stacks
            "0100000001000000"    // sizes
            "0100000001000000"    // slacks
            "0000000000000000"    // replaced
            "0100000001000000"    // node_parents
            "0100000001000000"    // node_frames
            "0100000001000000"    // node_modules
            "0200000002000000"    // node_offsets
            "2f0000002f000000");  // records
}

TEST(RecordingFormat, ColumnsOfAChunkOfOneOfEachOperation) {
  const std::string bytes = one_of_each_operation();
  const std::string_view chunk = std::string_view(bytes).substr(sizeof(disk::FileHeader));
  const std::string_view columns = chunk.substr(sizeof(disk::ChunkHeader));
  EXPECT_EQ(hex(columns.substr(disk::kColumns * sizeof(disk::ColumnHeader))),
            "000000020308"  // record, record, record, stack_node, malloc, free
            "0814"          // 4 and 10 units later
            "de00"          // newest stack, size and address in columns; the newest block
            "8104"          // 0x1000 >> 4, zigzag, + 1
            "14"            // 20 bytes requested
            "08"            // and 4 of slack, zigzag
            "00"            // parent: the node before is node 0
            "00"            // a frame not in the table
            "08"            // module 1, call
            "e848"          // offset 0x1234, zigzag
            "19"
            "01"
            "00"
            "c801"
            "2a"
            "01"
            "00"
            "00"
            "00"
            "092f62696e2f74727565"
            "01"
            "0474727565"  // ProcessBegin
            "05"
            "08"
            "00"
            "00"
            "2a"
            "00"  // ThreadBegin
            "0e"
            "04"
            "01"
            "092f62696e2f74727565"
            "01ab");  // Module
}

}  // namespace
}  // namespace memswell::trace
