// The way into this room: a recording in, a report value out.
//
// Reads the file twice: first what names and cuts it (stacks, symbols, marks, samples), then the events. Memory is
// proportional to live blocks, distinct stacks and samples, never to the number of events.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/model.h"
#include "base/result.h"

namespace memswell::analysis {

// Names for frames that the recording has no symbols for. Implemented by the symbols room, given by the caller.
class Names {
 public:
  virtual ~Names() = default;
  // Innermost inlined level first; empty: unknown.
  virtual std::vector<trace::SourceFrame> lookup(const trace::Frame& frame, const std::string& module_path,
                                                 const std::vector<std::uint8_t>& build_id) = 0;
};

// Says whether a function is memory plumbing: sites are the innermost frame outside of it.
using SiteRule = std::function<bool(std::string_view function, std::string_view module_path)>;

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
