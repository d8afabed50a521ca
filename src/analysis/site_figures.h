// From figures by stack to the sites of one process, and from the numbers that sites have inside the analysis to their
// place in ProcessReport::sites.
#pragma once

#include <unordered_map>

#include "analysis/model.h"
#include "analysis/site_windows.h"
#include "analysis/stack_book.h"

namespace memswell::analysis {

void add(Figures& sum, const Figures& part);

// Needs `stacks` and `snapshots`; fills `sites` and `site_of_stack`, and rewrites the sites named in snapshots.
// Returns the new place of each site that the process knows.
std::unordered_map<SiteIndex, SiteIndex> fill_sites(ProcessReport& report, const StackBook& book,
                                                    const SiteWindows& windows);

}  // namespace memswell::analysis
