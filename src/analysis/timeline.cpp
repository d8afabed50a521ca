#include "analysis/timeline.h"

#include <algorithm>
#include <optional>
#include <utility>

namespace memswell::analysis {

// The row of this moment; a new one goes on with the footprint of the row before until it is read.
TimelineRow& Timeline::row_at(Nanoseconds time, const LiveFigures& live) {
  const bool same = !rows_.empty() && rows_.back().time_ns == time;
  if (!same) {
    TimelineRow row;
    if (!rows_.empty()) {
      row.size_bytes = rows_.back().size_bytes;
      row.rss_bytes = rows_.back().rss_bytes;
      row.own_bytes = rows_.back().own_bytes;
    }
    row.time_ns = time;
    rows_.push_back(std::move(row));
  }
  TimelineRow& row = rows_.back();
  row.requested_bytes = live.requested_bytes;
  row.usable_bytes = live.usable_bytes;
  row.live_blocks = live.blocks;
  return row;
}

void Timeline::on(const trace::Sample& sample, const LiveFigures& live) {
  TimelineRow& row = row_at(sample.time, live);
  row.size_bytes = sample.size_bytes;
  if (row.smaps) return;  // the more thorough reading of the same moment stays
  row.own_bytes = std::min(sample.own_bytes, sample.rss_bytes);
  row.rss_bytes = sample.rss_bytes - row.own_bytes;
}

void Timeline::on(const Reading& reading, const std::vector<trace::OwnRange>& own, const LiveFigures& live) {
  if (!reading.figures) return;
  const bool asked_for = reading.cause == trace::SnapshotCause::mark || reading.cause == trace::SnapshotCause::phase;
  const std::optional<std::size_t> marked = asked_for ? std::exchange(awaiting_, std::nullopt) : std::nullopt;
  TimelineRow& row = marked ? rows_[*marked] : row_at(reading.time_ns, live);
  row.smaps = reading.figures;
  row.rss_bytes = reading.figures->rss_bytes;
  row.own_bytes = reading.own.rss_bytes;
  if (reading.full) row.size_bytes = reading.figures->size_bytes + reading.own.size_bytes;
  row.smaps->size_bytes = row.size_bytes;  // smaps_rollup has none
  if (!keep_mappings_ || !reading.full) return;
  row.mappings.clear();
  more_bytes_ += reading.mappings.size() * sizeof(MappingRow);
  for (const smaps::Mapping& mapping : reading.mappings) {
    row.mappings.push_back(
        {mapping.begin, mapping.end, mapping.perms.text(), mapping.name, is_own(mapping, own), figures_of(mapping)});
  }
}

TimelineRow& Timeline::marked_row(Nanoseconds time, const LiveFigures& live) {
  TimelineRow& row = row_at(time, live);
  awaiting_ = rows_.size() - 1;
  return row;
}

void Timeline::mark(Nanoseconds time, const std::string& name, const LiveFigures& live) {
  marked_row(time, live).mark = name;
  more_bytes_ += name.size();
}

void Timeline::value(Nanoseconds time, const std::string& name, std::int64_t value, const LiveFigures& live) {
  marked_row(time, live).values.push_back({name, value});
  more_bytes_ += 2 * sizeof(ValueMark) + name.size();
}

}  // namespace memswell::analysis
