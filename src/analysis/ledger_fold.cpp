// The ledger and the folded part of a recording (trace/fold_events.h): how a fold is made, and how it is read.
#include <algorithm>
#include <bit>
#include <cmath>

#include "analysis/ledger.h"

namespace memswell::analysis {
namespace {

constexpr Nanoseconds kMicrosecond = 1000;

template <class Member, class Folded>
struct Pair {
  Member member;
  Folded folded;
};

// Sums over a stretch of time; everything else is what holds at its end or its peak.
constexpr Pair<std::uint64_t Figures::*, std::uint64_t trace::FoldedFigures::*> kSums[] = {
    {&Figures::calls, &trace::FoldedFigures::calls},
    {&Figures::allocated_bytes, &trace::FoldedFigures::allocated_bytes},
    {&Figures::frees, &trace::FoldedFigures::frees},
    {&Figures::temporary, &trace::FoldedFigures::temporary},
    {&Figures::reallocs, &trace::FoldedFigures::reallocs},
    {&Figures::reallocs_moved, &trace::FoldedFigures::reallocs_moved},
    {&Figures::realloc_copied_bytes, &trace::FoldedFigures::realloc_copied_bytes},
    {&Figures::callocs, &trace::FoldedFigures::callocs},
    {&Figures::calloc_bytes, &trace::FoldedFigures::calloc_bytes},
    {&Figures::large_mapped_calls, &trace::FoldedFigures::large_mapped_calls},
    {&Figures::large_heap_calls, &trace::FoldedFigures::large_heap_calls},
};

std::uint64_t to_bits(double variance) { return std::bit_cast<std::uint64_t>(variance); }

// A forged recording may say anything.
double from_bits(std::uint64_t bits) {
  const double variance = std::bit_cast<double>(bits);
  return std::isfinite(variance) && variance > 0 ? variance : 0;
}

trace::FoldedFigures folded_from(const Figures& figures) {
  trace::FoldedFigures folded;
  for (const auto& sum : kSums) folded.*sum.folded = figures.*sum.member;
  folded.live_blocks = figures.live_blocks;
  folded.live_bytes = figures.live_bytes;
  folded.slack_bytes = figures.slack_bytes;
  folded.peak_live_bytes = figures.peak_live_bytes;
  folded.live_at_peak_blocks = figures.live_at_peak_blocks;
  folded.live_at_peak_bytes = figures.live_at_peak_bytes;
  folded.slack_at_peak_bytes = figures.slack_at_peak_bytes;
  folded.calls_variance = to_bits(figures.calls_variance);
  folded.allocated_variance = to_bits(figures.allocated_variance);
  folded.live_variance = to_bits(figures.live_variance);
  folded.live_at_peak_variance = to_bits(figures.live_at_peak_variance);
  return folded;
}

void count_from_zero(Figures& figures) {
  for (const auto& sum : kSums) figures.*sum.member = 0;
  figures.calls_variance = figures.allocated_variance = 0;
  figures.peak_live_bytes = figures.live_bytes;
}

// The window's view of one stack.
FoldedPart part_of(SiteIndex site, const Figures& before, const trace::FoldedStack& stack) {
  FoldedPart part;
  part.site = site;
  part.calls = stack.figures.calls;
  part.allocated_bytes = stack.figures.allocated_bytes;
  part.frees = stack.blocks_ended;
  part.freed_bytes = stack.ended_bytes;
  part.blocks_before = before.live_blocks;
  part.blocks_after = stack.figures.live_blocks;
  part.live_before = before.live_bytes;
  part.live_at_peak = stack.figures.live_at_peak_bytes;
  part.live_after = stack.figures.live_bytes;
  part.own_peak = stack.figures.peak_live_bytes;
  part.growth_steps = stack.growth_steps;
  part.last_block = stack.last_block_bytes;
  part.largest_block = stack.largest_block_bytes;
  return part;
}

}  // namespace

void Ledger::place(const trace::Allocation& allocation) {
  Block old;
  live_.replace(allocation.address, Block(allocation), old);
}

void Ledger::lift(const trace::Release& release) {
  Block block;
  const bool taken = live_.take(release.address, block);
  if (taken && block.noted && release.kind == trace::Release::Kind::free) used_.erase(release.address);
}

void Ledger::fold_into(Account& account, const trace::FoldedFigures& folded, bool at_peak) const {
  Figures& figures = account.figures;
  if (at_peak) {
    figures.live_at_peak_bytes = folded.live_at_peak_bytes;
    figures.live_at_peak_blocks = folded.live_at_peak_blocks;
    figures.slack_at_peak_bytes = folded.slack_at_peak_bytes;
    figures.live_at_peak_variance = from_bits(folded.live_at_peak_variance);
    account.stamp = peak_stamp_;
  } else {
    keep_peak(account, peak_stamp_);
  }
  for (const auto& sum : kSums) figures.*sum.member += folded.*sum.folded;
  figures.live_blocks = folded.live_blocks;
  figures.live_bytes = folded.live_bytes;
  figures.slack_bytes = folded.slack_bytes;
  figures.peak_live_bytes = std::max(figures.peak_live_bytes, folded.peak_live_bytes);
  figures.calls_variance += from_bits(folded.calls_variance);
  figures.allocated_variance += from_bits(folded.allocated_variance);
  figures.live_variance = from_bits(folded.live_variance);
}

void Ledger::on(const trace::FoldedCalls& calls) {
  const bool at_peak = calls.peak_live_bytes > peak_bytes_;
  if (at_peak) {
    peak_bytes_ = calls.peak_live_bytes;
    peak_blocks_ = calls.peak_live_blocks;
    peak_time_ = calls.peak_live_ns;
    ++peak_stamp_;
  }
  std::vector<FoldedPart> parts;
  parts.reserve(calls.stacks.size());
  for (const trace::FoldedStack& stack : calls.stacks) {
    Account& account = this->account(stack.stack);
    parts.push_back(part_of(sites_->site_of(stack.stack), account.figures, stack));
    fold_into(account, stack.figures, at_peak);
  }
  fold_into(own_, calls.own, at_peak);
  on(trace::FoldedLive{calls.process, calls.live_blocks, calls.live_bytes, calls.usable_bytes});
  inherited_live_ = calls.inherited_live_blocks;
  inherited_live_bytes_ = calls.inherited_live_bytes;
  replaced_ += calls.replaced;
  unmatched_frees_ += calls.unmatched_frees;
  largest_returned_mapping_ = std::max(largest_returned_mapping_, calls.largest_returned_mapping_bytes);
  for (std::size_t i = 0; i < std::min(kLifetimeBuckets, calls.lifetime_blocks.size()); ++i)
    lifetimes_.blocks[i] += calls.lifetime_blocks[i];
  for (std::size_t i = 0; i < std::min(kLifetimeBuckets, calls.lifetime_bytes.size()); ++i)
    lifetimes_.bytes[i] += calls.lifetime_bytes[i];
  windows_.folded(parts, told_ ? live_bytes() : calls.peak_live_bytes, calls.peak_live_ns, live_bytes());
}

void Ledger::on(const trace::FoldedLive& live) {
  folded_blocks_ = live.live_blocks;
  live_bytes_ = live.live_bytes;
  usable_bytes_ = live.usable_bytes;
  windows_.inherited_freed(live_bytes());
}

void Ledger::on(const trace::FoldedThread& folded) {
  Thread& thread = this->thread(folded.thread);
  thread.last_allocated = folded.last_allocated;
  thread.realloc_address = folded.realloc_address;
  if (folded.realloc_address == 0) return;
  trace::Allocation allocation;
  allocation.time = folded.time;
  allocation.requested = folded.requested;
  allocation.usable = folded.usable;
  allocation.stack = folded.stack;
  allocation.kind = folded.kind;
  thread.realloc_block = Block(allocation);
  thread.realloc_block.offset_bits = folded.realloc_address & 0xfffu;
  thread.realloc_block.inherited = folded.inherited ? 1 : 0;
}

trace::FoldedLive Ledger::folded_live() const { return {{}, blocks_now(), live_bytes_, usable_bytes_}; }

std::vector<trace::FoldedThread> Ledger::folded_threads() const {
  std::vector<trace::FoldedThread> all;
  for (const auto& [index, thread] : threads_) {
    if (thread.last_allocated == 0 && thread.realloc_address == 0) continue;
    trace::FoldedThread& folded = all.emplace_back();
    folded.thread = ThreadIndex{index};
    folded.last_allocated = thread.last_allocated;
    folded.realloc_address = thread.realloc_address;
    if (thread.realloc_address == 0) continue;
    const Block& block = thread.realloc_block;
    folded.requested = block.requested();
    folded.usable = block.usable();
    folded.stack = block.stack;
    folded.kind = block.kind();
    folded.time = block.time_us() * kMicrosecond;
    folded.inherited = block.inherited != 0;
  }
  std::ranges::sort(all, {}, [](const trace::FoldedThread& folded) { return folded.thread.value; });
  return all;
}

trace::FoldedCalls Ledger::take_stretch(Nanoseconds time) {
  const SiteWindows::Stretch stretch = windows_.take_stretch(time);
  trace::FoldedCalls calls;
  calls.time = time;
  calls.live_blocks = blocks_now();
  calls.live_bytes = live_bytes_;
  calls.usable_bytes = usable_bytes_;
  calls.inherited_live_blocks = inherited_live_;
  calls.inherited_live_bytes = inherited_live_bytes_;
  calls.peak_live_bytes = peak_bytes_;
  calls.peak_live_blocks = peak_blocks_;
  calls.peak_live_ns = peak_time_;
  calls.replaced = std::exchange(replaced_, 0);
  calls.unmatched_frees = std::exchange(unmatched_frees_, 0);
  calls.largest_returned_mapping_bytes = largest_returned_mapping_;
  calls.lifetime_blocks.assign(std::begin(lifetimes_.blocks), std::end(lifetimes_.blocks));
  calls.lifetime_bytes.assign(std::begin(lifetimes_.bytes), std::end(lifetimes_.bytes));
  lifetimes_ = {};
  keep_peak(own_, peak_stamp_);
  calls.own = folded_from(own_.figures);
  count_from_zero(own_.figures);
  for (const FoldedPart& part : stretch.parts) {
    Account& account = this->account(StackId{part.site.value});
    keep_peak(account, peak_stamp_);
    calls.stacks.push_back({StackId{part.site.value}, folded_from(account.figures), part.frees, part.freed_bytes,
                            part.growth_steps, part.last_block, part.largest_block});
    count_from_zero(account.figures);
  }
  std::ranges::sort(calls.stacks, {}, [](const trace::FoldedStack& stack) { return stack.stack.value; });
  peak_bytes_ = live_bytes_;
  peak_blocks_ = blocks_now();
  peak_time_ = time;
  ++peak_stamp_;  // the peak is here: what lives now is what lives at it
  return calls;
}

}  // namespace memswell::analysis
