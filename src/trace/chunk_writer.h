// Compresses the columns of a chunk and appends it to the recording with write(2). A chunk that could not be written
// whole is cut off again, so that the file always ends with a whole one; from the first failure on all is dropped.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "base/result.h"
#include "base/unique_fd.h"
#include "trace/recording_format.h"

namespace memswell::trace {

using RawColumn = std::span<const std::uint8_t>;

class ChunkWriter {
 public:
  // Writes the header of the file.
  explicit ChunkWriter(UniqueFd file);
  ~ChunkWriter();

  void write(std::span<const RawColumn, disk::kColumns> columns);

  const Error* failure() const { return failure_ ? &*failure_ : nullptr; }
  std::uint64_t bytes_written() const { return end_; }

 private:
  disk::ColumnHeader append(RawColumn column);
  void write_whole(std::span<const std::uint8_t> bytes);
  void fail(int error);

  struct Compressor;
  UniqueFd file_;
  std::unique_ptr<Compressor> compressor_;
  std::vector<std::uint8_t> buffer_;
  std::uint64_t sequence_ = 0;
  std::uint64_t end_ = 0;  // of the last whole chunk
  std::optional<Error> failure_;
};

}  // namespace memswell::trace
