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

Ledger::Ledger(const SiteOfStack& sites, Nanoseconds begin) : sites_(&sites), windows_(begin, 0) {}

Ledger Ledger::fork(Nanoseconds time) const {
  Ledger child(*sites_, time);
  child.live_ = live_.inherit();
  child.windows_ = SiteWindows(time, live_bytes_);
  child.pool_ = pool_;
  child.used_ = used_;
  child.live_bytes_ = child.peak_bytes_ = child.inherited_bytes_ = child.inherited_live_bytes_ = live_bytes_;
  child.usable_bytes_ = usable_bytes_;
  child.peak_blocks_ = child.inherited_blocks_ = child.inherited_live_ = live_.size();
  child.peak_time_ = time;
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
  account.stamp = stamp;
}

void Ledger::add(const Block& block, Nanoseconds time) {
  live_bytes_ += block.requested();
  usable_bytes_ += block.usable();
  if (block.inherited) {
    ++inherited_live_;
    inherited_live_bytes_ += block.requested();
    return note_peak(time);
  }
  for (Account* account : {&this->account(block.stack), &own_}) {
    keep_peak(*account, peak_stamp_);
    Figures& figures = account->figures;
    ++figures.live_blocks;
    figures.live_bytes += block.requested();
    figures.slack_bytes += block.slack();
    figures.peak_live_bytes = std::max(figures.peak_live_bytes, figures.live_bytes);
  }
  note_peak(time);
}

void Ledger::note_peak(Nanoseconds time) {
  if (live_bytes_ <= peak_bytes_) return;
  peak_bytes_ = live_bytes_;
  peak_blocks_ = live_.size();
  peak_time_ = time;
  ++peak_stamp_;
}

// Ends a block that has left the live set.
void Ledger::forget(const Block& block) {
  live_bytes_ -= block.requested();
  usable_bytes_ -= block.usable();
  if (block.inherited) {
    --inherited_live_;
    inherited_live_bytes_ -= block.requested();
    return windows_.inherited_freed(live_bytes_);
  }
  for (Account* account : {&this->account(block.stack), &own_}) {
    keep_peak(*account, peak_stamp_);
    Figures& figures = account->figures;
    --figures.live_blocks;
    figures.live_bytes -= block.requested();
    figures.slack_bytes -= block.slack();
  }
  windows_.freed(sites_->site_of(block.stack), block.requested(), live_bytes_);
}

void Ledger::remove(const Block& block) {
  forget(block);
  if (block.inherited) return;
  ++account(block.stack).figures.frees;
  ++own_.figures.frees;
  if (is_large(block) && has_mapping(block) && block.usable() < kLargestThreshold) {
    largest_returned_mapping_ = std::max(largest_returned_mapping_, block.usable());
  }
}

void Ledger::note_lifetime(const Block& block, Nanoseconds time) {
  const std::uint64_t now = time / kMicrosecond;
  const std::size_t bucket = lifetime_bucket(now > block.time_us() ? now - block.time_us() : 0);
  ++lifetimes_.blocks[bucket];
  lifetimes_.bytes[bucket] += block.requested();
}

void Ledger::count_call(const trace::Allocation& allocation, const Block& block, Thread& thread) {
  const bool grown = allocation.replaced != 0 && allocation.replaced == thread.realloc_address;
  if (grown) note_lifetime(thread.realloc_block, allocation.time);
  const bool moved = grown && allocation.replaced != allocation.address;
  const Bytes copied = moved ? std::min(thread.realloc_block.requested(), block.requested()) : 0;
  const bool zeroed = allocation.kind == trace::AllocationKind::calloc;
  for (Account* account : {&this->account(block.stack), &own_}) {
    Figures& figures = account->figures;
    ++figures.calls;
    figures.allocated_bytes += block.requested();
    figures.reallocs += allocation.replaced != 0;
    figures.reallocs_moved += moved;
    figures.realloc_copied_bytes += copied;
    figures.callocs += zeroed;
    figures.calloc_bytes += zeroed ? block.requested() : 0;
    if (!is_large(block)) continue;
    figures.large_mapped_calls += has_mapping(block);
    figures.large_heap_calls += !has_mapping(block);
  }
}

void Ledger::on(const trace::Allocation& allocation) {
  const Block block(allocation);
  Thread& thread = this->thread(allocation.thread);
  Block old;
  if (live_.replace(allocation.address, block, old)) {
    ++replaced_;
    forget(old);
  }
  count_call(allocation, block, thread);
  add(block, allocation.time);
  windows_.allocated(sites_->site_of(block.stack), block.requested(), allocation.time, live_bytes_);
  thread.last_allocated = allocation.address;
  thread.realloc_address = 0;
}

void Ledger::on(const trace::Release& release) {
  Thread& thread = this->thread(release.thread);
  const bool temporary = thread.last_allocated == release.address && release.kind == trace::Release::Kind::free;
  thread.last_allocated = 0;
  if (release.kind == trace::Release::Kind::realloc_failed) return restore(release, thread);
  Block block;
  if (!live_.take(release.address, block)) {
    ++unmatched_frees_;
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
  --account(block.stack).figures.frees;
  --own_.figures.frees;
  const std::size_t bucket = lifetime_bucket(
      release.time / kMicrosecond > block.time_us() ? release.time / kMicrosecond - block.time_us() : 0);
  if (lifetimes_.blocks[bucket] > 0) {
    --lifetimes_.blocks[bucket];
    lifetimes_.bytes[bucket] -= std::min(lifetimes_.bytes[bucket], block.requested());
  }
  windows_.restored(sites_->site_of(block.stack), block.requested(), release.time, live_bytes_);
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
      if (figures.calls == 0) continue;
      all.push_back({StackId{static_cast<std::uint32_t>(page * kAccountPage + i)}, figures});
    }
  }
  return all;
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
}

}  // namespace memswell::analysis
