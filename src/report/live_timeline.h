// The timeline of a process that is watched from outside, row by row as it happens: the columns of timeline.h that need
// no recording. Widths are fixed, as later rows are not known.
#pragma once

#include <string>

#include "analysis/timeline_model.h"

namespace memswell::report {

enum class LiveFormat { table, csv, smaps };

std::string live_heading(LiveFormat format);  // empty for smaps
std::string live_row(const analysis::TimelineRow& row, LiveFormat format);

}  // namespace memswell::report
