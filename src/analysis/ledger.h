// The ledger of one process: allocation events in, live blocks and exact figures out.
//
// Rules: a block ends at its free; at the begin of a realloc (kept aside per thread until the new block or the failure
// is known); or when another allocation gets its address (`replaced`: its free was missed). Frees of unknown addresses
// are counted (`unmatched_frees`). Blocks inherited by fork can be freed, but their calls and bytes are their parent's.
// Cost: one table operation and two accounts an event; memory: live blocks and distinct stacks.
#pragma once

#include <tsl/robin_map.h>

#include <array>
#include <memory>
#include <optional>
#include <vector>

#include "analysis/live_set.h"
#include "analysis/model.h"
#include "analysis/sampling.h"
#include "analysis/site_windows.h"
#include "trace/fold_events.h"

namespace memswell::analysis {

// Site of a stack, answered while events stream by.
class SiteOfStack {
 public:
  virtual ~SiteOfStack() = default;
  virtual SiteIndex site_of(StackId stack) const = 0;
};

// Notes of the program about parts of its blocks (memswell.h).
struct PoolNote {
  Bytes bytes = 0;
  std::uint64_t time_us = 0;  // a block that is younger has nothing to do with it
};
using PoolNotes = tsl::robin_map<Address, PoolNote, AddressHash>;
using UsedNotes = tsl::robin_map<Address, Bytes, AddressHash>;

class Ledger {
 public:
  // `sites` must outlive the ledger.
  Ledger(const SiteOfStack& sites, Nanoseconds begin, Sampling sampling = {});
  // Of a child forked now: the same live blocks, figures from zero.
  Ledger fork(Nanoseconds time) const;

  void on(const trace::Allocation& allocation);
  void on(const trace::Release& release);
  void on(const trace::BlockNote& note);
  // Calls are recorded from here on; what came before is known in sum. The blocks that live follow.
  void on(const trace::CallsBegin& begin);
  void on(const trace::EarlierBlocks& blocks);
  void on(const trace::CallTotals& totals);

  // The folded part of a recording (trace/fold_events.h): blocks come and go without being counted, sums tell of the calls.
  void place(const trace::Allocation& allocation);
  void lift(const trace::Release& release);
  void on(const trace::FoldedCalls& calls);
  void on(const trace::FoldedLive& live);
  void on(const trace::FoldedThread& thread);
  void end_fold() { folded_blocks_.reset(); }
  // Makes that part: what happened since the last call of this, and then counts from zero. Every stack is a site.
  trace::FoldedCalls take_stretch(Nanoseconds time);
  trace::FoldedLive folded_live() const;
  std::vector<trace::FoldedThread> folded_threads() const;

  // Ends a window of figures by site (phase boundary, end of a pulse).
  void cut(Nanoseconds time) { windows_.cut(time); }
  // The last cut; makes figures_of() and live-at-peak final.
  void finish(Nanoseconds time);

  const LiveSet& live() const { return live_; }
  const PoolNotes& pool_notes() const { return pool_; }
  const UsedNotes& used_notes() const { return used_; }
  const SiteWindows& windows() const { return windows_; }
  const Lifetimes& lifetimes() const { return lifetimes_; }
  // What lives of all calls where only some are recorded: as last told, else an estimate.
  trace::CallTotals live_of_all() const;

  // Own and inherited blocks together, now.
  Bytes live_bytes() const { return told_ ? told_->live_bytes : live_bytes_; }
  Bytes usable_bytes() const { return told_ ? told_->usable_bytes : usable_bytes_; }
  std::uint64_t live_blocks() const { return told_ ? told_->live_blocks : blocks_now(); }

  std::uint64_t replaced() const { return replaced_; }

  Bytes held_bytes() const;
  // Figures of every stack that allocated in this process, by id.
  std::vector<StackFigures> figures() const;
  // Fills everything of the totals that comes from events.
  void fill(ProcessTotals& totals) const;
  void fill(ProcessReport& report) const;

 private:
  // Live-at-peak, exact in one pass: `stamp` numbers the process's peaks; an account that is about to change for the
  // first time since the last peak still has the value that it had at that peak.
  struct Account {
    Figures figures;
    std::uint64_t stamp = 0;
  };
  static constexpr std::size_t kAccountPage = 64;  // stacks of a process come in runs: pages keep the table sparse
  using AccountPage = std::array<Account, kAccountPage>;

  struct Thread {
    Address last_allocated = 0;   // the thread's last event was this allocation
    Address realloc_address = 0;  // a realloc of this block has begun
    Block realloc_block;
  };

  Account& account(StackId stack);
  static void keep_peak(Account& account, std::uint64_t stamp);
  void add(const Block& block, Nanoseconds time);
  void remove(const Block& block);
  void forget(const Block& block);
  void count_call(const trace::Allocation& allocation, const Block& block, Thread& thread);
  void restore(const trace::Release& release, Thread& thread);
  void note_lifetime(const Block& block, Nanoseconds time);
  void note_peak(Nanoseconds time);
  void fill_told(ProcessTotals& totals) const;
  Thread& thread(ThreadIndex index) { return threads_[index.value]; }
  std::uint64_t blocks_now() const { return folded_blocks_.value_or(live_.size()); }
  void fold_into(Account& account, const trace::FoldedFigures& folded, bool at_peak) const;

  const SiteOfStack* sites_;
  Sampling sampling_;
  LiveSet live_;
  SiteWindows windows_;
  std::vector<std::unique_ptr<AccountPage>> accounts_;
  tsl::robin_map<std::uint32_t, Thread> threads_;
  PoolNotes pool_;
  UsedNotes used_;
  std::size_t account_pages_ = 0;
  Account own_;  // all stacks together
  Lifetimes lifetimes_;
  Bytes live_bytes_ = 0;
  Bytes usable_bytes_ = 0;
  Bytes peak_bytes_ = 0;
  std::uint64_t peak_blocks_ = 0;
  Nanoseconds peak_time_ = 0;
  std::uint64_t peak_stamp_ = 1;
  std::uint64_t inherited_blocks_ = 0;  // at the fork
  Bytes inherited_bytes_ = 0;
  std::uint64_t inherited_live_ = 0;  // now
  Bytes inherited_live_bytes_ = 0;
  std::optional<trace::CallTotals> told_;  // calls are not recorded one by one here: what is known in sum
  Bytes told_peak_bytes_ = 0;
  Nanoseconds told_peak_time_ = 0;
  std::optional<EarlierTotals> earlier_;
  std::optional<std::uint64_t> folded_blocks_;  // in the folded part: how many live; not all of them are in live_
  std::uint64_t replaced_ = 0;
  std::uint64_t unmatched_frees_ = 0;
  Bytes largest_returned_mapping_ = 0;
};

}  // namespace memswell::analysis
