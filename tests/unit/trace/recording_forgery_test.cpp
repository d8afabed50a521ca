// Chunks whose checksums are right and whose contents are not: made by a person, not by an accident.
#include <gtest/gtest.h>

#include <array>
#include <random>

#include "tests/unit/trace/recording_fixture.h"
#include "tests/unit/trace/sample_events.h"
#include "trace/chunk_reader.h"
#include "trace/chunk_writer.h"

namespace memswell::trace {
namespace {

using Columns = std::array<std::vector<std::uint8_t>, disk::kColumns>;

std::vector<Columns> columns_of(const std::string& recording) {
  const TemporaryFile file(recording);
  Result<ChunkReader> reader = ChunkReader::open(file.path());
  std::vector<Columns> chunks;
  while (reader->next()) {
    Columns& chunk = chunks.emplace_back();
    for (std::size_t i = 0; i < disk::kColumns; ++i) {
      chunk[i].assign(reader->columns()[i].begin(), reader->columns()[i].end());
    }
  }
  return chunks;
}

std::string sealed(const std::vector<Columns>& chunks) {
  const TemporaryFile file;
  ChunkWriter writer(file.open_for_writing());
  for (const Columns& chunk : chunks) {
    std::array<RawColumn, disk::kColumns> raw;
    std::copy(chunk.begin(), chunk.end(), raw.begin());
    writer.write(raw);
  }
  return file.content();
}

std::vector<std::uint8_t>& column(Columns& chunk, disk::Column which) { return chunk[static_cast<std::size_t>(which)]; }

Reading read_chunk(disk::Op op, disk::Column which, std::vector<std::uint8_t> content) {
  Columns chunk;
  column(chunk, disk::Column::ops) = {static_cast<std::uint8_t>(op)};
  column(chunk, which) = std::move(content);
  return read_bytes(sealed({chunk}));
}

void mutate(std::vector<std::uint8_t>& bytes, std::mt19937& random) {
  if (bytes.empty()) return bytes.push_back(static_cast<std::uint8_t>(random()));
  const std::size_t at = random() % bytes.size();
  switch (random() % 4) {
    case 0: bytes[at] = static_cast<std::uint8_t>(random()); return;
    case 1: bytes[at] ^= static_cast<std::uint8_t>(1u << random() % 8); return;
    case 2: bytes.resize(at); return;
    default: bytes.insert(bytes.begin() + static_cast<std::ptrdiff_t>(at), 12, 0xff); return;
  }
}

TEST(RecordingForgery, SealingAgainChangesNothing) {
  const std::string recording = recording_of(nasty_events());
  EXPECT_EQ(sealed(columns_of(recording)), recording);
}

// Survives, and gives what came before the forged place; sanitizers see the rest.
TEST(RecordingForgery, NoForgedColumnIsTrusted) {
  std::mt19937 random(11);
  const std::vector<Columns> genuine = columns_of(recording_of(synthetic_program(5, 1000)));
  const std::vector<Columns> nasty = columns_of(recording_of(nasty_events()));
  int ended_early = 0;
  for (int round = 0; round < 160; ++round) {
    std::vector<Columns> forged = round % 2 == 0 ? genuine : nasty;
    mutate(forged[0][random() % disk::kColumns], random);
    const Reading reading = read_bytes(sealed(forged));
    ASSERT_TRUE(reading.summary);
    ended_early += reading.summary->end_sentence.find("cannot be") != std::string::npos ? 1 : 0;
  }
  EXPECT_GT(ended_early, 40);
}

TEST(RecordingForgery, AListLongerThanItsRecordIsRefused) {
  // A PageSnapshot (14) of process 0 whose runs are said to be 2^62.
  const Reading reading =
      read_chunk(disk::Op::record, disk::Column::records,
                 {18, 14, 0, 0, 0, 0, 0, 0, 0, 0, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x40});
  EXPECT_TRUE(reading.lines.empty());
}

TEST(RecordingForgery, NoEventSpeaksOfAStackOrProcessThatIsNotThere) {
  EXPECT_TRUE(read_bytes(recording_of({Sample{}})).lines.empty());
  EXPECT_TRUE(read_bytes(recording_of({process(1)})).lines.empty());
  EXPECT_TRUE(read_bytes(recording_of({Module{{2}, "", {}}})).lines.empty());
  EXPECT_TRUE(read_bytes(recording_of({StackNode{{1}, {0}, {{1}, FrameKind::call, 0}}})).lines.empty());
  EXPECT_EQ(read_bytes(recording_of({ProcessBegin{}, Allocation{}})).lines.size(), 1u);
}

TEST(RecordingForgery, AnUnknownRecordOrOperationEndsTheReading) {
  EXPECT_NE(read_chunk(disk::Op::record, disk::Column::records, {1, 99}).summary->end_sentence.find("cannot be"),
            std::string::npos);
  EXPECT_NE(read_chunk(static_cast<disk::Op>(31), disk::Column::ops, {31}).summary->end_sentence.find("cannot be"),
            std::string::npos);
}

}  // namespace
}  // namespace memswell::trace
