// Everything about one process, fed by the second reading: ledger, timeline, phases and page ledgers grow event by
// event; finish() makes the report value of it.
#pragma once

#include <memory>
#include <optional>
#include <unordered_map>
#include <vector>

#include "analysis/analyse.h"
#include "analysis/ledger.h"
#include "analysis/page_ledger.h"
#include "analysis/phases.h"
#include "analysis/stack_book.h"
#include "analysis/survey.h"
#include "analysis/timeline.h"

namespace memswell::analysis {

// What all processes of a run share. Owned by the caller.
struct RunContext {
  const StackBook* stacks = nullptr;
  const trace::RunInfo* info = nullptr;
  const Options* options = nullptr;
  Sampling sampling;
};

class ProcessAnalysis {
 public:
  ProcessAnalysis(const trace::ProcessBegin& begin, const RunContext& run, Plan plan);

  // After fork: the parent's blocks and mappings are here too. Before any event of this process.
  void inherit(const ProcessAnalysis& parent);

  void on(const trace::CaptureNote& note);
  void on(const trace::ProcessEnd& end);
  void on(const trace::GroupMemory& group) { group_ = group; }
  void on(const trace::ThreadBegin&) { ++threads_; }
  void on(const trace::Allocation& allocation);
  void on(const trace::Release& release) { ledger_.on(release); }
  void on(const trace::MappingEvent& event) { mapped_.on(event); }
  void on(const trace::BlockNote& note) { ledger_.on(note); }
  void on(const trace::CallsBegin& begin);
  void on(const trace::EarlierBlocks& blocks) { ledger_.on(blocks); }
  void on(const trace::CallTotals& totals) { ledger_.on(totals); }
  void on(const trace::FoldedCalls& calls);
  void on(const trace::FoldedLive& live) { ledger_.on(live); }
  void on(const trace::FoldedThread& thread) { ledger_.on(thread); }
  // In the folded part blocks come and go without being counted.
  void place(const trace::Allocation& allocation) { ledger_.place(allocation); }
  void lift(const trace::Release& release) { ledger_.lift(release); }
  void end_fold() { ledger_.end_fold(); }
  void on(const trace::Mark& mark);
  void on(const trace::Sample& sample);
  void on(const trace::SmapsSnapshot& snapshot);
  void on(const trace::PageSnapshot& snapshot);
  void on(const trace::PhaseBoundary& boundary, std::uint32_t announced_by);

  // `end`: of the recording, if the process's own was not seen. Once.
  ProcessReport finish(Nanoseconds end);

  Bytes held_bytes() const;
  std::uint32_t pid() const { return report_.pid; }

 private:
  // A page snapshot that waits for the smaps of its moment; the blocks are those of this place in the stream.
  struct Pending {
    trace::PageSnapshot pages;
    LiveSet blocks;
    bool peak = false;
    trace::CallTotals live;
  };

  LiveFigures live() const;
  void note_rss(Nanoseconds time, Bytes rss, Bytes own);
  void make_ledger(const Reading& reading);
  void fill_totals();
  void fill_unnamed();
  Bytes counting_error() const;
  void explain(const std::unordered_map<SiteIndex, SiteIndex>& place);

  RunContext run_;
  Plan plan_;
  Ledger ledger_;
  Timeline timeline_;
  PhaseCutter phases_;
  MappedRanges mapped_;
  HeapHistory history_;
  std::vector<trace::OwnRange> own_;
  SmapsFigures own_figures_;
  std::optional<Pending> pending_;
  std::optional<Nanoseconds> phase_snapshot_;  // the last one at a phase's begin
  std::size_t page_snapshots_ = 0;
  std::size_t windows_ = 0;
  std::uint64_t threads_ = 0;
  std::optional<trace::ProcessEnd> end_;
  std::optional<trace::GroupMemory> group_;
  ProcessReport report_;
};

}  // namespace memswell::analysis
