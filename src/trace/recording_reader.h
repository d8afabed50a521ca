// Reads a recording, whole or cut anywhere, finished or still being written, in one pass and bounded memory.
// A chunk compresses up to 20,000 times: a visitor that holds much more than a file of the size read so far can mean
// ends the reading as damage does, so that a small file cannot eat the machine. A damaged chunk ends the reading there: what came before was delivered, ReadSummary says where and why it ended.
#pragma once

#include <cstdint>
#include <string>

#include "base/result.h"
#include "base/unique_fd.h"
#include "trace/visitor.h"

namespace memswell::trace {

struct ReadSummary {
  bool complete = false;     // RunEnd was seen and said so
  std::string end_sentence;  // if not: where and why the recording ends, one sentence
  std::uint64_t bytes_read = 0;
  std::uint64_t events = 0;  // allocations + releases
};

// What a visitor may hold: this, and so much more for each byte of the file. The most that a real recording was seen to
// need are 550 bytes a byte: ten million equal blocks, kept in a loop that does nothing else, are 439 kB.
inline constexpr Bytes kHeldAtLeast = Bytes{256} << 20;
inline constexpr Bytes kHeldPerByte = 2048;

// Errors (ExitCode::unreadable_recording): no such file, not a recording, made by a newer version.
Result<ReadSummary> read_recording(const std::string& path, Visitor& visitor);

// The same in two steps, for who reads it more than once: another recording may take the name meanwhile (run --max-recording).
// Chunks from byte `end` on are not read.
Result<UniqueFd> open_recording(const std::string& path);
Result<ReadSummary> read_recording(const UniqueFd& file, const std::string& path, Visitor& visitor, std::uint64_t end = UINT64_MAX);

}  // namespace memswell::trace
