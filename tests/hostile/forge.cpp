#include "tests/hostile/forge.h"

#include <algorithm>
#include <cstring>

#include "tests/hostile/memory_file.h"
#include "trace/chunk_checksum.h"
#include "trace/chunk_reader.h"

namespace memswell::hostile {
namespace {

namespace disk = trace::disk;

constexpr std::size_t kMostChunks = 64;  // of a flat input; a fuzzer gains nothing by more

std::string file_header() {
  disk::FileHeader header{disk::kMagic, disk::kVersion, disk::kTimeShift, 0, 0};
  header.checksum = trace::checksum_of(header);
  return {reinterpret_cast<const char*>(&header), sizeof header};
}

std::size_t take_length(std::string_view& bytes) {
  std::uint16_t length = 0;
  const std::size_t got = std::min(bytes.size(), sizeof length);
  std::memcpy(&length, bytes.data(), got);
  bytes.remove_prefix(got);
  return length;
}

}  // namespace

// Nothing is compressed, as that is no matter of what columns mean.
std::string sealed(std::span<const Columns> chunks) {
  std::string bytes = file_header();
  std::uint64_t sequence = 0;
  for (const Columns& columns : chunks) {
    disk::ColumnHeader heads[disk::kColumns];
    disk::ChunkHeader header{disk::kChunkMagic, disk::ChunkType::stream, 0, 0, 0, sequence++, 0};
    std::vector<std::uint8_t> stored(sizeof heads);
    for (std::size_t i = 0; i < disk::kColumns; ++i) {
      const auto size = static_cast<std::uint32_t>(columns[i].size());
      heads[i] = {size, size};
      header.raw_bytes += size;
      stored.insert(stored.end(), columns[i].begin(), columns[i].end());
    }
    std::memcpy(stored.data(), heads, sizeof heads);
    header.stored_bytes = static_cast<std::uint32_t>(stored.size());
    header.checksum = trace::checksum_of(header, stored);
    bytes.append(reinterpret_cast<const char*>(&header), sizeof header);
    bytes.append(stored.begin(), stored.end());
  }
  return bytes;
}

std::vector<Columns> columns_of(std::string_view recording) {
  const MemoryFile file(recording);
  Result<trace::ChunkReader> reader = trace::ChunkReader::open(file.path());
  std::vector<Columns> chunks;
  while (reader && reader->next()) {
    Columns& chunk = chunks.emplace_back();
    for (std::size_t i = 0; i < disk::kColumns; ++i)
      chunk[i].assign(reader->columns()[i].begin(), reader->columns()[i].end());
  }
  return chunks;
}

std::string flat(std::span<const Columns> chunks) {
  std::string bytes;
  for (const Columns& chunk : chunks) {
    for (const auto& column : chunk) {
      const auto length = static_cast<std::uint16_t>(std::min<std::size_t>(column.size(), UINT16_MAX));
      bytes.append(reinterpret_cast<const char*>(&length), sizeof length);
    }
    for (const auto& column : chunk)
      bytes.append(reinterpret_cast<const char*>(column.data()), std::min<std::size_t>(column.size(), UINT16_MAX));
  }
  return bytes;
}

std::vector<Columns> columns_of_flat(std::string_view bytes) {
  std::vector<Columns> chunks;
  while (!bytes.empty() && chunks.size() < kMostChunks) {
    std::array<std::size_t, disk::kColumns> lengths;
    for (std::size_t& length : lengths) length = take_length(bytes);
    Columns& chunk = chunks.emplace_back();
    for (std::size_t i = 0; i < disk::kColumns; ++i) {
      const std::string_view column = bytes.substr(0, lengths[i]);
      chunk[i].assign(column.begin(), column.end());
      bytes.remove_prefix(column.size());
    }
  }
  return chunks;
}

std::string repaired(std::string bytes) {
  const std::string header = file_header();
  std::copy_n(header.begin(), std::min(header.size(), bytes.size()), bytes.begin());
  std::uint64_t sequence = 0;
  for (std::size_t at = header.size(); at + sizeof(disk::ChunkHeader) <= bytes.size();) {
    disk::ChunkHeader chunk;
    std::memcpy(&chunk, bytes.data() + at, sizeof chunk);
    const std::size_t left = bytes.size() - at - sizeof chunk;
    chunk.magic = disk::kChunkMagic;
    chunk.type = disk::ChunkType::stream;
    chunk.flags = 0;
    chunk.raw_bytes = std::min(chunk.raw_bytes, disk::kMaxChunkBytes);
    chunk.stored_bytes = static_cast<std::uint32_t>(std::min<std::size_t>(chunk.stored_bytes, left));
    chunk.sequence = sequence++;
    const auto* stored = reinterpret_cast<const std::uint8_t*>(bytes.data()) + at + sizeof chunk;
    chunk.checksum = trace::checksum_of(chunk, {stored, chunk.stored_bytes});
    std::memcpy(bytes.data() + at, &chunk, sizeof chunk);
    at += sizeof chunk + chunk.stored_bytes;
  }
  return bytes;
}

std::string recording_of(const std::function<void(trace::RecordingWriter&)>& record) {
  const MemoryFile file;
  {
    trace::RecordingWriter writer(file.open_for_writing());
    record(writer);
    writer.flush();
  }
  return file.content();
}

}  // namespace memswell::hostile
