#include "analysis/ledger.h"

#include <algorithm>

namespace memswell::analysis {
namespace {

constexpr Nanoseconds kMicrosecond = 1000;

// glibc (malloc/malloc.c): requests from here on get a mapping of their own at first; freeing one of up to 32 MiB
// raises that threshold to its size. Its usable size tells: 0 modulo 16 with its own mapping, else 8.
constexpr Bytes kLargeBlock = 128 * 1024;
constexpr Bytes kLargestThreshold = Bytes{32} << 20;
bool is_large(const Block& block) { return block.usable() >= kLargeBlock; }
bool has_mapping(const Block& block) { return block.usable() % 16 == 0; }

std::size_t lifetime_bucket(std::uint64_t microseconds) {
  std::size_t bucket = 0;
  for (std::uint64_t limit = 1; bucket + 1 < kLifetimeBuckets && microseconds >= limit; limit *= 10) ++bucket;
  return bucket;
}

}  // namespace

Ledger::Ledger(const SiteOfStack& sites, Nanoseconds begin, Sampling sampling)
    : sites_(&sites), sampling_(sampling), windows_(begin, 0) {
  if (sampling_.on()) windows_.calls_are_told();
}

Ledger Ledger::fork(Nanoseconds time) const {
  Ledger child(*sites_, time, sampling_);
  child.live_ = live_.inherit();
  child.windows_ = SiteWindows(time, live_bytes());
  if (sampling_.on()) child.windows_.calls_are_told();
  if (told_) {
    child.told_.emplace();
    child.told_->live_blocks = told_->live_blocks;
    child.told_->live_bytes = told_->live_bytes;
    child.told_->usable_bytes = told_->usable_bytes;
  }
  child.pool_ = pool_;
  child.used_ = used_;
  child.live_bytes_ = child.peak_bytes_ = child.inherited_bytes_ = child.inherited_live_bytes_ = live_bytes_;
  child.usable_bytes_ = usable_bytes_;
  child.peak_blocks_ = child.inherited_blocks_ = child.inherited_live_ = own_.figures.live_blocks + inherited_live_;
  child.peak_time_ = time;
  child.folded_blocks_ = folded_blocks_;
  return child;
}

Ledger::Account& Ledger::account(StackId stack) {
  const std::size_t page = stack.value / kAccountPage;
  if (page >= accounts_.size()) accounts_.resize(page + 1);
  if (!accounts_[page]) {
    accounts_[page] = std::make_unique<AccountPage>();
    ++account_pages_;
  }
  return (*accounts_[page])[stack.value % kAccountPage];
}

Bytes Ledger::held_bytes() const {
  constexpr Bytes kNote = 64;
  constexpr Bytes kThread = 2 * sizeof(decltype(threads_)::value_type);
  return live_.held_bytes() + account_pages_ * sizeof(AccountPage) + accounts_.size() * sizeof(accounts_[0]) +
         threads_.size() * kThread + (pool_.size() + used_.size()) * kNote + windows_.held_bytes();
}

void Ledger::keep_peak(Account& account, std::uint64_t stamp) {
  if (account.stamp == stamp) return;
  Figures& figures = account.figures;
  figures.live_at_peak_bytes = figures.live_bytes;
  figures.live_at_peak_blocks = figures.live_blocks;
  figures.slack_at_peak_bytes = figures.slack_bytes;
  figures.live_at_peak_variance = figures.live_variance;
  account.stamp = stamp;
}

void Ledger::add(const Block& block, Nanoseconds time) {
  const BlockShare share = sampling_.share(block);
  live_bytes_ += share.requested;
  usable_bytes_ += share.requested + share.slack;
  if (block.inherited) {
    inherited_live_ += share.blocks;
    inherited_live_bytes_ += share.requested;
    return note_peak(time);
  }
  for (Account* account : {&this->account(block.stack), &own_}) {
    keep_peak(*account, peak_stamp_);
    Figures& figures = account->figures;
    figures.live_blocks += share.blocks;
    figures.live_bytes += share.requested;
    figures.slack_bytes += share.slack;
    figures.live_variance += share.bytes_variance;
    figures.peak_live_bytes = std::max(figures.peak_live_bytes, figures.live_bytes);
  }
  note_peak(time);
}

void Ledger::note_peak(Nanoseconds time) {
  if (live_bytes_ <= peak_bytes_) return;
  peak_bytes_ = live_bytes_;
  peak_blocks_ = folded_blocks_ ? own_.figures.live_blocks + inherited_live_ : live_.size();
  peak_time_ = time;
  ++peak_stamp_;
}

// Ends a block that has left the live set.
void Ledger::forget(const Block& block) {
  const BlockShare share = sampling_.share(block);
  live_bytes_ -= share.requested;
  usable_bytes_ -= share.requested + share.slack;
  if (block.inherited) {
    inherited_live_ -= share.blocks;
    inherited_live_bytes_ -= share.requested;
    return windows_.inherited_freed(live_bytes());
  }
  for (Account* account : {&this->account(block.stack), &own_}) {
    keep_peak(*account, peak_stamp_);
    Figures& figures = account->figures;
    figures.live_blocks -= share.blocks;
    figures.live_bytes -= share.requested;
    figures.slack_bytes -= share.slack;
    figures.live_variance = figures.live_bytes == 0 ? 0 : std::max(0.0, figures.live_variance - share.bytes_variance);
  }
  windows_.freed(sites_->site_of(block.stack), share, live_bytes());
}

void Ledger::remove(const Block& block) {
  forget(block);
  if (block.inherited) return;
  const BlockShare share = sampling_.share(block);
  account(block.stack).figures.frees += share.blocks;
  own_.figures.frees += share.blocks;
  if (is_large(block) && has_mapping(block) && block.usable() < kLargestThreshold) {
    largest_returned_mapping_ = std::max(largest_returned_mapping_, block.usable());
  }
}

void Ledger::note_lifetime(const Block& block, Nanoseconds time) {
  const std::uint64_t now = time / kMicrosecond;
  const std::size_t bucket = lifetime_bucket(now > block.time_us() ? now - block.time_us() : 0);
  const BlockShare share = sampling_.share(block);
  lifetimes_.blocks[bucket] += share.blocks;
  lifetimes_.bytes[bucket] += share.requested;
}

void Ledger::count_call(const trace::Allocation& allocation, const Block& block, Thread& thread) {
  const bool grown = allocation.replaced != 0 && allocation.replaced == thread.realloc_address;
  if (grown) note_lifetime(thread.realloc_block, allocation.time);
  const bool moved = grown && allocation.replaced != allocation.address;
  const BlockShare share = sampling_.share(block);
  const Bytes copied = moved ? std::min(thread.realloc_block.requested(), block.requested()) * share.blocks : 0;
  const bool zeroed = allocation.kind == trace::AllocationKind::calloc;
  for (Account* account : {&this->account(block.stack), &own_}) {
    Figures& figures = account->figures;
    figures.calls += share.blocks;
    figures.allocated_bytes += share.requested;
    figures.calls_variance += share.blocks_variance;
    figures.allocated_variance += share.bytes_variance;
    figures.reallocs += allocation.replaced != 0 ? share.blocks : 0;
    figures.reallocs_moved += moved ? share.blocks : 0;
    figures.realloc_copied_bytes += copied;
    figures.callocs += zeroed ? share.blocks : 0;
    figures.calloc_bytes += zeroed ? share.requested : 0;
    if (!is_large(block)) continue;
    figures.large_mapped_calls += has_mapping(block);
    figures.large_heap_calls += !has_mapping(block);
  }
}

void Ledger::on(const trace::Allocation& allocation) {
  Block block(allocation);
  block.offset_bits = allocation.address & 0xfffu;  // as it will be in the table: its share depends on it
  Thread& thread = this->thread(allocation.thread);
  Block old;
  if (live_.replace(allocation.address, block, old)) {
    ++replaced_;
    forget(old);
  }
  count_call(allocation, block, thread);
  add(block, allocation.time);
  windows_.allocated(sites_->site_of(block.stack), sampling_.share(block), block.requested(), allocation.time, live_bytes());
  thread.last_allocated = allocation.address;
  thread.realloc_address = 0;
}

void Ledger::on(const trace::Release& release) {
  Thread& thread = this->thread(release.thread);
  // The event after a recorded one may not be recorded: where calls are sampled nobody knows.
  const bool temporary = thread.last_allocated == release.address && release.kind == trace::Release::Kind::free &&
                         !sampling_.on();
  thread.last_allocated = 0;
  if (release.kind == trace::Release::Kind::realloc_failed) return restore(release, thread);
  Block block;
  if (!live_.take(release.address, block)) {
    if (!sampling_.on()) ++unmatched_frees_;  // of a sample: its block was not recorded
    return;
  }
  remove(block);
  if (block.noted && release.kind == trace::Release::Kind::free) used_.erase(release.address);
  if (temporary && !block.inherited) {
    ++account(block.stack).figures.temporary;
    ++own_.figures.temporary;
  }
  if (release.kind == trace::Release::Kind::free) return note_lifetime(block, release.time);
  thread.realloc_address = release.address;
  thread.realloc_block = block;
}

// realloc returned null: the old block was never freed.
void Ledger::restore(const trace::Release& release, Thread& thread) {
  if (thread.realloc_address != release.address) return;
  const Block block = thread.realloc_block;
  thread.realloc_address = 0;
  if (!live_.insert(release.address, block)) return;
  add(block, release.time);
  if (block.inherited) return;
  const BlockShare share = sampling_.share(block);
  account(block.stack).figures.frees -= share.blocks;
  own_.figures.frees -= share.blocks;
  windows_.restored(sites_->site_of(block.stack), share, release.time, live_bytes());
}

void Ledger::on(const trace::BlockNote& note) {
  switch (note.kind) {
    case trace::BlockNote::Kind::used:
      if (live_.find(note.address) != nullptr && live_.set_noted(note.address)) used_[note.address] = note.bytes;
      return;
    case trace::BlockNote::Kind::pool_free:
      pool_[note.address] = PoolNote{note.bytes, note.time / kMicrosecond};
      return;
    case trace::BlockNote::Kind::pool_alloc: pool_.erase(note.address); return;
  }
}

// Sums of calls that are not recorded one by one stand in for the blocks until these are known.
void Ledger::on(const trace::CallTotals& totals) {
  windows_.told(totals, told_ ? &*told_ : nullptr);
  told_ = totals;
  if (totals.peak_live_bytes > told_peak_bytes_) {
    told_peak_bytes_ = totals.peak_live_bytes;
    told_peak_time_ = totals.peak_live_ns;
  }
  if (sampling_.on()) return;
  EarlierTotals& earlier = earlier_ ? *earlier_ : earlier_.emplace();
  if (totals.peak_live_bytes > earlier.peak_live_bytes) {
    earlier.peak_live_bytes = totals.peak_live_bytes;
    earlier.peak_live_ns = totals.peak_live_ns;
  }
  earlier.end_ns = totals.time;
  earlier.calls = totals.calls;
  earlier.allocated_bytes = totals.allocated_bytes;
  earlier.frees = totals.frees;
  earlier.unmatched_frees = totals.unmatched_frees;
  earlier.live_blocks = totals.live_blocks;
  earlier.live_bytes = totals.live_bytes;
}

void Ledger::on(const trace::CallsBegin& begin) {
  EarlierTotals& earlier = earlier_ ? *earlier_ : earlier_.emplace();
  earlier.end_ns = begin.time;
  earlier.reached = begin.reached;
  told_.reset();
}

void Ledger::on(const trace::EarlierBlocks& blocks) {
  for (const trace::EarlierBlock& earlier : blocks.blocks) {
    trace::Allocation allocation;
    allocation.time = earlier.time;
    allocation.requested = earlier.requested;
    allocation.usable = earlier.usable;
    allocation.stack = blocks.stack;
    Block block(allocation);
    block.inherited = blocks.inherited ? 1 : 0;
    if (!live_.insert(earlier.address, block)) continue;
    add(block, earlier_ ? earlier_->end_ns : earlier.time);
    if (blocks.inherited) {
      ++inherited_blocks_;
      inherited_bytes_ += block.requested();
    } else {
      windows_.carried(sites_->site_of(block.stack), block.requested());
    }
  }
}

void Ledger::finish(Nanoseconds time) {
  windows_.cut(time);
  keep_peak(own_, peak_stamp_);
  for (auto& page : accounts_) {
    if (!page) continue;
    for (Account& account : *page) keep_peak(account, peak_stamp_);
  }
}

std::vector<StackFigures> Ledger::figures() const {
  std::vector<StackFigures> all;
  for (std::size_t page = 0; page < accounts_.size(); ++page) {
    if (!accounts_[page]) continue;
    for (std::size_t i = 0; i < kAccountPage; ++i) {
      const Figures& figures = (*accounts_[page])[i].figures;
      const bool carried = figures.live_blocks + figures.frees + figures.live_at_peak_blocks != 0;  // from before the calls
      if (figures.calls == 0 && !carried) continue;
      all.push_back({StackId{static_cast<std::uint32_t>(page * kAccountPage + i)}, figures});
    }
  }
  return all;
}

void Ledger::fill(ProcessReport& report) const {
  report.earlier = earlier_;
  fill(report.totals);
}

void Ledger::fill(ProcessTotals& totals) const {
  totals.figures = own_.figures;
  totals.live_blocks_at_exit = own_.figures.live_blocks;
  totals.live_bytes_at_exit = own_.figures.live_bytes;
  totals.inherited_blocks = inherited_blocks_;
  totals.inherited_bytes = inherited_bytes_;
  totals.inherited_live_at_exit = inherited_live_;
  totals.inherited_live_bytes_at_exit = inherited_live_bytes_;
  totals.peak_live_bytes = peak_bytes_;
  totals.peak_live_blocks = peak_blocks_;
  totals.peak_live_ns = peak_time_;
  totals.replaced = replaced_;
  totals.unmatched_frees = unmatched_frees_;
  totals.largest_returned_mapping_bytes = largest_returned_mapping_;
  if (sampling_.on() && told_) fill_told(totals);
}

trace::CallTotals Ledger::live_of_all() const {
  if (told_) return *told_;
  trace::CallTotals estimate;
  estimate.live_blocks = own_.figures.live_blocks + inherited_live_;
  estimate.live_bytes = live_bytes_;
  estimate.usable_bytes = usable_bytes_;
  return estimate;
}

// Counted, where the calls recorded are only some.
void Ledger::fill_told(ProcessTotals& totals) const {
  totals.counted = true;
  totals.figures.calls = told_->calls;
  totals.figures.allocated_bytes = told_->allocated_bytes;
  totals.figures.frees = told_->frees;
  totals.figures.calls_variance = totals.figures.allocated_variance = 0;
  totals.live_blocks_at_exit = told_->live_blocks;
  totals.live_bytes_at_exit = told_->live_bytes;
  totals.peak_live_bytes = told_peak_bytes_;
  totals.peak_live_blocks = 0;
  totals.peak_live_ns = told_peak_time_;
  totals.peak_live_uncertain_bytes = told_->peak_uncertain_bytes;
}

}  // namespace memswell::analysis
