// Call trees over the stacks of one process, weighted by one cost. Top-down: from main to the allocation; bottom-up:
// from the site to its callers. Built on demand from a report.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "analysis/model.h"

namespace memswell::analysis {

enum class Direction : std::uint8_t { top_down, bottom_up };

struct CallNode {
  std::string function;  // empty: unknown
  std::string file;
  std::uint32_t line = 0;
  std::string module;
  std::uint64_t offset = 0;
  bool inlined = false;            // this level was inlined into the one above it (top-down)
  std::uint64_t value = 0;         // of the whole subtree
  std::uint64_t self = 0;          // of stacks that end here
  std::vector<CallNode> children;  // largest first
};

// The root has no name; its value is the total. Plumbing frames at the innermost end are left out.
CallNode call_tree(const RunReport& run, const ProcessReport& process, Cost cost, Direction direction);

}  // namespace memswell::analysis
