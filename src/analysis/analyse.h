// The way into this room: a recording in, a report value out.
//
// Reads the file twice: first what names and cuts it (stacks, symbols, marks, samples), then the events. Memory is
// proportional to live blocks, distinct stacks and samples, never to the number of events.
#pragma once

#include <string>

#include "analysis/model.h"
#include "analysis/names.h"
#include "base/result.h"

namespace memswell::analysis {

struct Options {
  SiteRule plumbing;              // empty: only the allocation functions themselves
  Names* names = nullptr;         // not owned
  bool keep_mappings = false;     // fill TimelineRow::mappings (timeline --per-mapping)
  bool page_ledgers = true;       // false: skip the join of blocks and pages (timeline, exports)
  std::size_t what_if_sites = 5;  // sites for which the return of their blocks is computed, per snapshot
};

// Errors are those of trace::read_recording.
Result<RunReport> analyse(const std::string& path, const Options& options);

}  // namespace memswell::analysis
