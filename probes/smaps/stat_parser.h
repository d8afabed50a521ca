// /proc/PID/statm and /proc/PID/stat as values (proc(5); fs/proc/array.c). Pure functions; a cut text is an error,
// because a number that lost digits looks like a smaller one.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/ids.h"
#include "base/result.h"

namespace memswell::smaps {

struct Statm {
  Bytes size_bytes = 0;    // address space
  Bytes rss_bytes = 0;     // summed from counters that the kernel batches per CPU (high_water_mark.h)
  Bytes shared_bytes = 0;  // file and shared-memory part of rss
  Bytes text_bytes = 0;
  Bytes data_bytes = 0;  // private writable address space and stack: what Linux has of a commit charge
  friend bool operator==(const Statm&, const Statm&) = default;
};

Result<Statm> parse_statm(std::string_view text, Bytes page_bytes);

struct Stat {
  std::int32_t pid = 0;
  std::string comm;  // may hold spaces, parentheses and newlines
  char state = '?';
  std::int32_t ppid = 0;
  std::uint64_t minor_faults = 0;
  std::uint64_t major_faults = 0;
  std::uint64_t user_ticks = 0;  // of sysconf(_SC_CLK_TCK)
  std::uint64_t system_ticks = 0;
  std::int64_t threads = 0;
  std::uint64_t start_time_ticks = 0;  // since boot; with the pid it names a process for ever
  friend bool operator==(const Stat&, const Stat&) = default;
};

// Fields 1 to 22; those behind are not needed and may be cut.
Result<Stat> parse_stat(std::string_view text);

}  // namespace memswell::smaps
