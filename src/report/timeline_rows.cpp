#include <iterator>

#include "report/timeline.h"

namespace memswell::report {
namespace {

using analysis::SmapsFigures;
using analysis::TimelineRow;
using Value = std::optional<std::uint64_t>;

template <Bytes SmapsFigures::*member>
Value from_smaps(const TimelineRow& row) {
  return row.smaps ? Value((*row.smaps).*member) : std::nullopt;
}

template <std::uint64_t TimelineRow::*member>
Value from_row(const TimelineRow& row) {
  return row.*member;
}

constexpr TimelineColumn kColumns[] = {
    {"size", true, from_row<&TimelineRow::size_bytes>},
    {"rss", true, from_row<&TimelineRow::rss_bytes>},
    {"pss", true, from_smaps<&SmapsFigures::pss_bytes>},
    {"shared_clean", true, from_smaps<&SmapsFigures::shared_clean_bytes>},
    {"shared_dirty", true, from_smaps<&SmapsFigures::shared_dirty_bytes>},
    {"private_clean", true, from_smaps<&SmapsFigures::private_clean_bytes>},
    {"private_dirty", true, from_smaps<&SmapsFigures::private_dirty_bytes>},
    {"swap", true, from_smaps<&SmapsFigures::swap_bytes>},
    {"requested", true, from_row<&TimelineRow::requested_bytes>},
    {"usable", true, from_row<&TimelineRow::usable_bytes>},
    {"live_blocks", false, from_row<&TimelineRow::live_blocks>},
};

constexpr MappingColumn kMappingColumns[] = {
    {"size", &SmapsFigures::size_bytes},
    {"rss", &SmapsFigures::rss_bytes},
    {"pss", &SmapsFigures::pss_bytes},
    {"shared_clean", &SmapsFigures::shared_clean_bytes},
    {"shared_dirty", &SmapsFigures::shared_dirty_bytes},
    {"private_clean", &SmapsFigures::private_clean_bytes},
    {"private_dirty", &SmapsFigures::private_dirty_bytes},
    {"swap", &SmapsFigures::swap_bytes},
};

bool marked(const TimelineRow& row) { return !row.mark.empty() || !row.values.empty(); }

}  // namespace

std::span<const TimelineColumn> timeline_columns() { return kColumns; }
std::span<const MappingColumn> mapping_columns() { return kMappingColumns; }

std::vector<const TimelineRow*> timeline_rows(const analysis::ProcessReport& process,
                                              const TimelineSelection& selection) {
  std::vector<const TimelineRow*> rows;
  Nanoseconds next = 0;
  for (const TimelineRow& row : process.timeline) {
    const bool mark = marked(row);
    if (selection.at == TimelineAt::marks && !mark) continue;
    if (selection.per_mapping == PerMapping::yes && row.mappings.empty()) continue;
    if (!mark && row.time_ns < next) continue;
    rows.push_back(&row);
    next = row.time_ns + selection.every;
  }
  return rows;
}

}  // namespace memswell::report
