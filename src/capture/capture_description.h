// What the interposer's flags and the allocator's library mean, in words for a person.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "trace/events.h"
#include "trace/format.h"

namespace memswell::capture {

struct CaptureDescription {
  trace::Capture capture = trace::Capture::full;
  std::string reason;     // one sentence; with Capture::full: what is missing nevertheless, or empty
  std::string allocator;  // "glibc 2.36", "jemalloc", "own (linked into PROGRAM)", …
};

CaptureDescription describe_capture(std::uint32_t flags, std::string_view allocator_path, std::string_view executable);

// Why an image that is about to start will not be recorded; empty for ExecNote::recorded.
std::string_view describe_exec_note(format::ExecNote note);

}  // namespace memswell::capture
