#include "trace/read_ahead.h"

#include <gtest/gtest.h>

#include <array>

#include "tests/unit/trace/recording_fixture.h"
#include "trace/chunk_writer.h"

namespace memswell::trace {
namespace {

// A recording of so many chunks; the first byte of the first column is the chunk's number.
std::string recording_of(std::size_t chunks) {
  const TemporaryFile file;
  ChunkWriter writer(file.open_for_writing());
  for (std::size_t i = 0; i < chunks; ++i) {
    std::array<RawColumn, disk::kColumns> columns;
    const std::uint8_t bytes[] = {static_cast<std::uint8_t>(i), 1, 2, 3};
    columns[0] = bytes;
    writer.write(columns);
  }
  return file.content();
}

std::vector<std::size_t> numbers_in(const std::string& recording, std::string* damage = nullptr) {
  const TemporaryFile file(recording);
  ReadAhead chunks(*ChunkReader::open(file.path()));
  std::vector<std::size_t> numbers;
  while (chunks.next()) numbers.push_back(chunks.columns()[0][0]);
  if (damage != nullptr) *damage = chunks.damage();
  EXPECT_FALSE(chunks.next()) << "the end stays the end";
  return numbers;
}

TEST(ReadAhead, GivesEveryChunkInItsOrder) {
  const std::vector<std::size_t> numbers = numbers_in(recording_of(50));
  ASSERT_EQ(numbers.size(), 50u);
  for (std::size_t i = 0; i < numbers.size(); ++i) EXPECT_EQ(numbers[i], i);
}

TEST(ReadAhead, TellsTheDamageBehindTheLastWholeChunk) {
  std::string recording = recording_of(5);
  recording.resize(recording.size() - 3);
  std::string damage;
  EXPECT_EQ(numbers_in(recording, &damage).size(), 4u);
  EXPECT_EQ(damage, "ends within a chunk");
}

TEST(ReadAhead, SaysHowFarTheChunkInHandReaches) {
  const std::string recording = recording_of(3);
  const TemporaryFile file(recording);
  ReadAhead chunks(*ChunkReader::open(file.path()));
  EXPECT_EQ(chunks.bytes_read(), sizeof(disk::FileHeader));
  const std::uint64_t chunk_bytes = (recording.size() - sizeof(disk::FileHeader)) / 3;
  ASSERT_TRUE(chunks.next());
  EXPECT_EQ(chunks.bytes_read(), sizeof(disk::FileHeader) + chunk_bytes) << "not of those that wait behind it";
}

TEST(ReadAhead, CanBeLeftAtAnyPlace) {
  const TemporaryFile file(recording_of(20));
  for (std::size_t taken = 0; taken < 20; ++taken) {
    ReadAhead chunks(*ChunkReader::open(file.path()));
    for (std::size_t i = 0; i < taken; ++i) ASSERT_TRUE(chunks.next());
  }
}

}  // namespace
}  // namespace memswell::trace
