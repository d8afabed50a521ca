// `timeline`: the footprint row by row, in the columns of smaps, as table, csv, json, or in the manner of Linux::Smaps.
// Sizes are kB (1024 bytes), as in smaps. Cells that a row did not measure are empty.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "analysis/model.h"
#include "report/terminal.h"

namespace memswell::report {

enum class TimelineAt { samples, marks };
enum class PerMapping { no, yes };

struct TimelineColumn {
  const char* key;
  bool in_kilobytes;  // else a plain count
  std::optional<std::uint64_t> (*value)(const analysis::TimelineRow&);  // bytes or count; empty: not measured here
};
std::span<const TimelineColumn> timeline_columns();

// The columns of one mapping: a part of the above.
struct MappingColumn {
  const char* key;
  Bytes analysis::SmapsFigures::*member;
};
std::span<const MappingColumn> mapping_columns();

struct TimelineSelection {
  TimelineAt at = TimelineAt::samples;
  Nanoseconds every = 0;  // at least this far apart; rows with marks always stay
  PerMapping per_mapping = PerMapping::no;
};
std::vector<const analysis::TimelineRow*> timeline_rows(const analysis::ProcessReport& process,
                                                        const TimelineSelection& selection);

std::string timeline_table(const analysis::ProcessReport& process, const TimelineSelection& selection,
                           const Terminal& terminal);
std::string timeline_csv(const std::vector<const analysis::ProcessReport*>& processes,
                         const TimelineSelection& selection);
std::string timeline_json(const std::vector<const analysis::ProcessReport*>& processes,
                          const TimelineSelection& selection);

// "rss: 4052, shared_clean: 1600, shared_dirty: 0, private_clean: 4, private_dirty: 2448, string: 1000 k" for each row
// that smaps was read at; the last from memswell_mark_value("string", 1024000).
std::string timeline_smaps(const analysis::ProcessReport& process, const TimelineSelection& selection);
std::string smaps_line(const analysis::TimelineRow& row);  // one of these lines; empty without smaps figures

}  // namespace memswell::report
