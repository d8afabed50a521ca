// Writes recordings into temporary files and reads them back as lines of text that name every field.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "tests/unit/trace/sample_events.h"
#include "trace/recording_format.h"
#include "trace/recording_reader.h"
#include "trace/recording_writer.h"

namespace memswell::trace {

// One line an event: "Kind field field …". Times of allocations and releases are left out: see `Reading::times`.
std::vector<std::string> lines_of(const std::vector<AnyEvent>& events);
std::vector<Nanoseconds> times_of(const std::vector<AnyEvent>& events);

struct Reading {
  Result<ReadSummary> summary;
  std::vector<std::string> lines;
  std::vector<Nanoseconds> times;  // of allocations and releases
};

// In memory: thousands of them are read in a test.
class TemporaryFile {
 public:
  TemporaryFile();
  explicit TemporaryFile(const std::string& content);

  const std::string& path() const { return path_; }
  UniqueFd open_for_writing() const;
  std::string content() const;

 private:
  UniqueFd memory_;
  std::string path_;
};

// The bytes of a recording of what `record` writes.
std::string recording_of(const std::function<void(RecordingWriter&)>& record);
std::string recording_of(const std::vector<AnyEvent>& events);
void write_all(RecordingWriter& writer, const std::vector<AnyEvent>& events);

// Where its chunks begin, and its end.
std::vector<std::size_t> chunk_ends(const std::string& recording);

Reading read_file(const std::string& path);
Reading read_bytes(const std::string& bytes);

}  // namespace memswell::trace
