// One process while the oldest part of its recording is folded. Its ledger counts as in a report, but every stack is a site;
// what it counted since the last stretch is written when the stretch ends, and the blocks that live where somebody will look
// for them: at a snapshot of the pages, at a fork, and where the fold ends.
#pragma once

#include <tsl/robin_map.h>

#include <optional>
#include <unordered_map>

#include "analysis/folded_footprint.h"
#include "analysis/heap_geometry.h"
#include "analysis/ledger.h"
#include "trace/recording_writer.h"

namespace memswell::analysis {

class FoldedProcess {
 public:
  // `slot`: of time, in which a few samples are kept.
  FoldedProcess(const trace::ProcessBegin& begin, Sampling sampling, Nanoseconds slot, trace::RecordingWriter& out);
  // A child forked now; the parent's blocks are written.
  FoldedProcess(const trace::ProcessBegin& begin, const FoldedProcess& parent);

  void on(const trace::Allocation& allocation);
  void on(const trace::Release& release);
  void on(const trace::BlockNote& note);
  void on(const trace::CallsBegin& begin);
  void on(const trace::EarlierBlocks& blocks);
  void on(const trace::CallTotals& totals);
  void on(const trace::Sample& sample);
  void on(const trace::SmapsSnapshot& reading);  // a periodic one
  // Of a part that was folded before.
  void place(const trace::Allocation& allocation);
  void lift(const trace::Release& release);
  void on(const trace::FoldedCalls& calls);
  void on(const trace::FoldedLive& live) { ledger_.on(live); }
  void on(const trace::FoldedThread& thread) { ledger_.on(thread); }
  void end_fold() { ledger_.end_fold(); }

  // Writes the sums since the last stretch.
  void end_stretch(Nanoseconds time);
  Nanoseconds stretch_begin() const { return stretch_begin_; }
  // Writes the blocks that live here and are not written yet, and what the program said of them.
  void write_blocks();
  // Writes the samples that are kept of the slot, and then how much lives here, if that has changed.
  void write_footprint();
  // Where the fold ends.
  void write_threads();
  const FoldedFootprint& footprint() const { return footprint_; }

 private:
  // A block whose realloc has begun: it is gone if that succeeds, and stays as it was if not.
  struct Aside {
    Address address = 0;
    std::optional<trace::Allocation> young;  // it is not written yet
  };

  void write_slot();
  void write_live(trace::FoldedLive live);
  void begin_realloc(const trace::Release& release);
  void end_realloc(const trace::Allocation& allocation);
  void undo_realloc(const trace::Release& release);
  void write_end(Address address, std::uint32_t thread, Nanoseconds time);
  void settle_reallocs();

  trace::RecordingWriter* out_;
  ProcessIndex index_;
  Ledger ledger_;
  HeapHistory history_;
  FoldedFootprint footprint_;
  Nanoseconds slot_;
  tsl::robin_map<Address, trace::Allocation, AddressHash> young_;  // live, not written yet
  std::unordered_map<std::uint32_t, Aside> aside_;                 // by thread
  tsl::robin_map<Address, std::uint32_t, AddressHash> aside_written_;  // those that are in the file, with the thread
  tsl::robin_map<Address, trace::BlockNote, AddressHash> used_;    // not written yet
  tsl::robin_map<Address, trace::BlockNote, AddressHash> pool_;
  trace::FoldedLive told_;
  Nanoseconds stretch_begin_ = 0;
};

}  // namespace memswell::analysis
