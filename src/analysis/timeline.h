// Makes the rows of the timeline from samples, readings and marks as they stream by.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "analysis/readings.h"
#include "analysis/timeline_model.h"
#include "trace/events.h"

namespace memswell::analysis {

struct LiveFigures {
  Bytes requested_bytes = 0;
  Bytes usable_bytes = 0;
  std::uint64_t blocks = 0;
};

class Timeline {
 public:
  explicit Timeline(bool keep_mappings) : keep_mappings_(keep_mappings) {}

  void on(const trace::Sample& sample, const LiveFigures& live);
  void on(const Reading& reading, const std::vector<trace::OwnRange>& own, const LiveFigures& live);
  // A name or a value makes a row of its own moment; the reading that it asked for fills that row.
  void mark(Nanoseconds time, const std::string& name, const LiveFigures& live);
  void value(Nanoseconds time, const std::string& name, std::int64_t value, const LiveFigures& live);

  Bytes held_bytes() const { return rows_.size() * kRow + more_bytes_; }
  const std::vector<TimelineRow>& rows() const { return rows_; }
  std::vector<TimelineRow> take() { return std::move(rows_); }

 private:
  TimelineRow& row_at(Nanoseconds time, const LiveFigures& live);
  TimelineRow& marked_row(Nanoseconds time, const LiveFigures& live);

  static constexpr Bytes kRow = 2 * sizeof(TimelineRow);  // a vector that has just grown

  bool keep_mappings_;
  std::vector<TimelineRow> rows_;
  Bytes more_bytes_ = 0;  // of names, values and mappings
  std::optional<std::size_t> awaiting_;  // a marked row without its reading
};

}  // namespace memswell::analysis
