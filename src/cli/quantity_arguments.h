// Sizes and durations as people type them on a command line.
#pragma once

#include <string>
#include <string_view>

#include "base/ids.h"
#include "base/result.h"

namespace memswell::cli {

// "200MB" and "200kB" count in powers of 1000, "200MiB", "200M" and "200K" in powers of 1024, "4096" and "4096B" in bytes.
// A fraction is allowed: "1.5GiB". Errors (usage): anything else, or more than 2^63 bytes.
Result<Bytes> parse_size(std::string_view text);

// "100us", "20ms", "1.5s", "2min", "1h": a unit is required. Errors (usage): anything else.
Result<Nanoseconds> parse_duration(std::string_view text);

}  // namespace memswell::cli
