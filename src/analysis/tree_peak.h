// The largest footprint of all processes together. Shared pages are counted once by PSS, which only smaps gives: the
// sum is taken wherever a reading changes it, each process standing with its last one.
#pragma once

#include <vector>

#include "analysis/model.h"

namespace memswell::analysis {

TreeTotals find_tree_peak(const std::vector<ProcessReport>& processes);

}  // namespace memswell::analysis
