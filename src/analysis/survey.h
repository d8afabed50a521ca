// The first reading of a recording: everything but the allocations. It names stacks and finds sites, sees the whole
// footprint curve, and plans the second reading: at which moments figures are cut, and which page snapshots are joined.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "analysis/footprint_curve.h"
#include "analysis/stack_book.h"
#include "trace/visitor.h"

namespace memswell::analysis {

// For one process.
struct Plan {
  std::vector<PulseShape> pulses;
  std::set<Nanoseconds> cuts;            // times of samples at which a pulse begins, peaks or ends, or a stretch ends
  std::vector<Nanoseconds> stretches;    // ends of eight even parts of the process's life, as near as samples allow
  std::vector<bool> join;                // by number of the page snapshot: make a ledger of it
  std::size_t peak_snapshot = SIZE_MAX;  // the page snapshot with the largest RSS
  std::vector<trace::OwnRange> own;      // memswell's, from the first page snapshot: readings before it hold them too
};

class Survey : public trace::Visitor {
 public:
  using trace::Visitor::on;

  Bytes held_bytes() const override;
  void on(const trace::RunInfo& info) override { info_ = info; }
  void on(const trace::ProcessBegin& begin) override;
  void on(const trace::ProcessEnd& end) override { note_time(end.time); }
  void on(const trace::Module& module) override { stacks_.on(module); }
  void on(const trace::StackNode& node) override { stacks_.on(node); }
  void on(const trace::FrameSymbols& symbols) override { stacks_.on(symbols); }
  void on(const trace::ModuleSymbols& symbols) override { stacks_.on(symbols); }
  void on(const trace::Sample& sample) override;
  void on(const trace::SmapsSnapshot& snapshot) override;
  void on(const trace::PageSnapshot& snapshot) override;
  void on(const trace::RunEnd& end) override { note_time(end.time); }

  const trace::RunInfo& info() const { return info_; }
  StackBook& stacks() { return stacks_; }
  Nanoseconds last_time() const { return last_time_; }
  Plan plan(ProcessIndex process) const;

 private:
  struct Snapshot {
    Nanoseconds time_ns = 0;
    trace::SnapshotCause cause = trace::SnapshotCause::periodic;
    Bytes rss_bytes = 0;
  };
  struct Process {
    std::vector<CurvePoint> curve;
    std::vector<Snapshot> snapshots;
    Bytes last_rss_bytes = 0;
    std::vector<trace::OwnRange> own;
  };

  Process& process(ProcessIndex index);
  void note_time(Nanoseconds time) { last_time_ = time > last_time_ ? time : last_time_; }
  static void cut_stretches(const std::vector<CurvePoint>& curve, Plan& plan);
  static void choose_joins(const std::vector<Snapshot>& snapshots, Plan& plan);

  trace::RunInfo info_;
  StackBook stacks_;
  std::vector<Process> processes_;
  Nanoseconds last_time_ = 0;
  Bytes readings_bytes_ = 0;  // of curves and snapshots
};

}  // namespace memswell::analysis
