// Reads a recording chunk by chunk: length, checksum, decompression. Holds one chunk; trusts nothing: a length is
// believed only as far as bytes follow, and no chunk grows beyond disk::kMaxChunkBytes.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/unique_fd.h"
#include "trace/recording_format.h"

namespace memswell::trace {

// A chunk on its own: the columns are parts of `raw`, whose memory moves with it.
struct Chunk {
  std::vector<std::uint8_t> raw;
  std::array<std::span<const std::uint8_t>, disk::kColumns> columns{};
  std::uint64_t bytes_read = 0;  // of the file, up to its end
  bool begins_anew = false;
};

class ChunkReader {
 public:
  using Columns = std::array<std::span<const std::uint8_t>, disk::kColumns>;

  // Checks the header of the file. Errors as read_recording().
  static Result<ChunkReader> open(const std::string& path);
  // Of a file that is open, from its beginning. `path`: for sentences. Chunks from byte `end` on are not read.
  static Result<ChunkReader> read(UniqueFd file, const std::string& path, std::uint64_t end = UINT64_MAX);

  ChunkReader(ChunkReader&&) noexcept;
  ChunkReader& operator=(ChunkReader&&) noexcept;
  ~ChunkReader();

  // The next chunk's columns are in columns(), until the next call. False: there is none; damage() says why.
  bool next();
  const Columns& columns() const { return columns_; }
  // The chunk itself, in exchange for memory that the next one may use. columns() is empty then.
  Chunk take(std::vector<std::uint8_t> memory);

  // Of the whole chunks so far.
  std::uint64_t bytes_read() const { return end_; }
  bool begins_anew() const { return begins_anew_; }  // the chunk of next()
  std::uint32_t time_shift() const { return time_shift_; }
  // What is wrong at bytes_read(), to follow "the recording"; empty: the file ends there.
  const std::string& damage() const { return damage_; }

 private:
  explicit ChunkReader(UniqueFd file);
  std::size_t fill(std::size_t wanted);
  bool stop(std::string damage);
  bool decompress(const disk::ChunkHeader& header);

  struct Decompressor;
  UniqueFd file_;
  std::unique_ptr<Decompressor> decompressor_;
  std::vector<std::uint8_t> stored_;
  std::vector<std::uint8_t> raw_;
  Columns columns_{};
  std::uint64_t end_ = 0;
  std::uint64_t limit_ = UINT64_MAX;
  std::uint64_t resume_sequence_ = 0;
  bool begins_anew_ = false;
  std::uint64_t sequence_ = 0;
  std::uint32_t time_shift_ = 0;
  std::string damage_;
};

}  // namespace memswell::trace
