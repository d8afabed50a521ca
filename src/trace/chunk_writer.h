// Compresses the columns of a chunk and appends it to the recording with write(2). A chunk that could not be written
// whole is cut off again, so that the file always ends with a whole one; from the first failure on all is dropped.
#pragma once

#include <cstdint>
#include <functional>
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
  // Writes the header of the file. `resume_sequence`: of a chunk of another file that will follow the ones written here.
  explicit ChunkWriter(UniqueFd file, std::uint64_t resume_sequence = 0);
  ~ChunkWriter();

  enum class Model : std::uint8_t { goes_on, begins_anew };
  void write(std::span<const RawColumn, disk::kColumns> columns, Model model = Model::goes_on);

  // The next chunk goes to the end of this file, which holds what the one before held, or stands for it. Returns that one.
  UniqueFd replace_file(UniqueFd file, std::uint64_t bytes);
  // Asked when the disk is full: true if it made room, then the write is tried again.
  void on_full(std::function<bool()> make_room) { make_room_ = std::move(make_room); }
  int file() const { return file_.get(); }
  std::uint64_t sequence() const { return sequence_; }  // of the next chunk

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
  std::function<bool()> make_room_;
};

}  // namespace memswell::trace
