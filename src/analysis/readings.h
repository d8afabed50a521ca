// One reading of /proc (a SmapsSnapshot) as figures, with memswell's own mappings taken out.
#pragma once

#include <optional>
#include <vector>

#include "analysis/timeline_model.h"
#include "base/ids.h"
#include "probes/smaps/smaps_parser.h"
#include "trace/events.h"

namespace memswell::analysis {

// Is this mapping memswell's? The region and the probe are known by name, what they mapped besides by its ranges
// (trace::PageSnapshot::own, ordered or not).
bool is_own(const smaps::MappingRange& mapping, const std::vector<trace::OwnRange>& own);

// Bytes of [begin, end) that lie in memswell's own ranges.
Bytes own_overlap(Address begin, Address end, const std::vector<trace::OwnRange>& own);

struct Reading {
  Nanoseconds time_ns = 0;
  trace::SnapshotCause cause = trace::SnapshotCause::periodic;
  std::optional<SmapsFigures> figures;   // of the process, own left out; empty: neither smaps nor rollup was readable
  SmapsFigures own;                      // memswell's own: from this full smaps, else as last known
  bool full = false;                     // from smaps, mapping by mapping; else from smaps_rollup
  std::vector<smaps::Mapping> mappings;  // full only
  Bytes peak_rss_bytes = 0;              // VmHWM from the status text, 0: not read; own not taken out
};

// `last_own`: own figures of the last full reading, for a rollup, which has no mappings.
Reading read_snapshot(const trace::SmapsSnapshot& snapshot, const std::vector<trace::OwnRange>& own,
                      const SmapsFigures& last_own);

SmapsFigures figures_of(const smaps::MemoryCounters& counters);
// Field by field, not below zero.
SmapsFigures less(const SmapsFigures& all, const SmapsFigures& part);
void add(SmapsFigures& sum, const SmapsFigures& part);

}  // namespace memswell::analysis
