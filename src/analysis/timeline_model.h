// The footprint over time: samples, marks and phases of one process. The part of a report that says WHEN.
// Every RSS and private-dirty figure here leaves memswell's own pages out; own_bytes says how many they were.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/ids.h"

namespace memswell::analysis {

// The columns that only smaps gives. Shared/private as the kernel counts them, memswell's own mappings left out.
struct SmapsFigures {
  Bytes size_bytes = 0;
  Bytes rss_bytes = 0;
  Bytes pss_bytes = 0;
  Bytes shared_clean_bytes = 0;
  Bytes shared_dirty_bytes = 0;
  Bytes private_clean_bytes = 0;
  Bytes private_dirty_bytes = 0;
  Bytes swap_bytes = 0;
  Bytes anonymous_bytes = 0;
  Bytes lazy_free_bytes = 0;
  Bytes huge_bytes = 0;  // AnonHugePages
};

// One mapping of a full smaps reading, for timeline --per-mapping.
struct MappingRow {
  Address begin = 0;
  Address end = 0;
  std::string permissions;  // "rw-p"
  std::string name;         // path, [heap], [stack], …; empty: anonymous
  bool own = false;         // memswell's
  SmapsFigures figures;
};

struct ValueMark {
  std::string name;  // memswell_mark_value(name, value)
  std::int64_t value = 0;
};

// One row of the timeline. Live figures are exact at this place of the stream.
struct TimelineRow {
  Nanoseconds time_ns = 0;
  Bytes size_bytes = 0;  // virtual
  Bytes rss_bytes = 0;
  Bytes own_bytes = 0;  // memswell's own resident pages, beside rss_bytes
  Bytes requested_bytes = 0;
  Bytes usable_bytes = 0;
  std::uint64_t live_blocks = 0;
  std::optional<SmapsFigures> smaps;  // measured at this row; empty: statm only
  std::vector<MappingRow> mappings;   // measured at this row from full smaps; empty otherwise
  std::string mark;                   // name of the phase or mark at this row; empty: none
  std::vector<ValueMark> values;      // announced since the row before
};

// A phase of one process. The first is called "start".
struct Phase {
  std::string name;
  std::uint32_t announced_by = 0;  // pid
  Nanoseconds begin_ns = 0;
  Nanoseconds end_ns = 0;
  Bytes begin_rss_bytes = 0;
  Bytes end_rss_bytes = 0;
  Bytes begin_private_dirty_bytes = 0;
  Bytes end_private_dirty_bytes = 0;
  bool private_dirty_known = false;  // at both ends
  Bytes begin_live_bytes = 0;
  Bytes end_live_bytes = 0;
  Bytes peak_rss_bytes = 0;            // VmHWM less memswell's own
  bool peak_rss_exact = false;         // the kernel's mark was reset at the begin; else the largest value seen
  Bytes peak_rss_bound_bytes = 0;      // peak_rss_bytes may be off by this much (growth of own pages, VmHWM batching)
  Bytes peak_private_dirty_bytes = 0;  // largest reading in the phase
  bool peak_private_dirty_sampled = true;
  Bytes peak_live_bytes = 0;  // exact
  Nanoseconds peak_live_ns = 0;
  std::uint64_t calls = 0;
  Bytes allocated_bytes = 0;
};

}  // namespace memswell::analysis
