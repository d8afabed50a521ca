// Which samples and periodic readings of a folded part are kept: of each slot of time the smallest and largest figures, and the
// last, so that a curve keeps its extremes and a phase what stands before its boundary.
#pragma once

#include <optional>
#include <variant>
#include <vector>

#include "base/ids.h"
#include "trace/events.h"
#include "trace/fold_events.h"

namespace memswell::analysis {

class FoldedFootprint {
 public:
  explicit FoldedFootprint(Nanoseconds slot) : slot_(slot) {}

  // What the process was known to have live at its sample or reading.
  struct Entry {
    std::optional<trace::CallTotals> totals;  // before it
    trace::FoldedLive live;
    std::variant<trace::Sample, trace::SmapsSnapshot> what;
    Bytes rss_bytes = 0;
    Bytes other_bytes = 0;  // of a sample: memswell's own; of a reading: private dirty
  };

  // Is a slot over, so that what was kept should be taken before this is added?
  bool is_over(Nanoseconds time) const { return !entries_.empty() && time >= begin_ + slot_; }
  void add(const trace::CallTotals& totals);
  void add(const trace::Sample& sample, const trace::FoldedLive& live);
  void add(const trace::SmapsSnapshot& reading, const trace::FoldedLive& live);

  // What is kept, in order. The next slot begins.
  std::vector<Entry> take();
  // Totals that no sample followed.
  std::optional<trace::CallTotals> take_totals();

  std::uint64_t samples_left_out() const { return samples_left_out_; }
  std::uint64_t readings_left_out() const { return readings_left_out_; }

 private:
  void add(Entry entry, Nanoseconds time);
  void drop_readings();

  Nanoseconds slot_;
  Nanoseconds begin_ = 0;
  std::vector<Entry> entries_;
  std::optional<trace::CallTotals> totals_;
  std::uint64_t samples_left_out_ = 0;
  std::uint64_t readings_left_out_ = 0;
};

}  // namespace memswell::analysis
