// Reads a recording, whole or cut anywhere, finished or still being written, in one pass and bounded memory.
// A damaged chunk ends the reading there: what came before was delivered, ReadSummary says where and why it ended.
#pragma once

#include <string>

#include "base/result.h"
#include "trace/visitor.h"

namespace memswell::trace {

struct ReadSummary {
  bool complete = false;     // RunEnd was seen and said so
  std::string end_sentence;  // if not: where and why the recording ends, one sentence
  std::uint64_t bytes_read = 0;
  std::uint64_t events = 0;  // allocations + releases
};

// Errors (ExitCode::unreadable_recording): no such file, not a recording, made by a newer version.
Result<ReadSummary> read_recording(const std::string& path, Visitor& visitor);

}  // namespace memswell::trace
