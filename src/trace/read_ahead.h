// A recording's chunks, read and decompressed by a thread of their own while the ones before are decoded. At most kAhead wait.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "trace/chunk_reader.h"

namespace memswell::trace {

class ReadAhead {
 public:
  static constexpr std::size_t kAhead = 2;

  explicit ReadAhead(ChunkReader chunks);
  ReadAhead(const ReadAhead&) = delete;
  ReadAhead& operator=(const ReadAhead&) = delete;
  // The thread ends after the chunk that it is at.
  ~ReadAhead();

  // As ChunkReader: the next chunk's columns are in columns(), until the next call.
  bool next();
  const ChunkReader::Columns& columns() const { return current_.columns; }
  bool begins_anew() const { return current_.begins_anew; }
  std::uint64_t bytes_read() const { return current_.bytes_read; }
  const std::string& damage() const { return damage_; }  // once next() was false

 private:
  void run();

  ChunkReader chunks_;  // the thread's, once it runs
  Chunk current_;
  std::string damage_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Chunk> waiting_;      // under mutex_, as are the next two
  std::vector<std::vector<std::uint8_t>> spare_;  // memory of chunks that were decoded
  bool done_ = false, abandoned_ = false;
  std::thread thread_;
};

}  // namespace memswell::trace
