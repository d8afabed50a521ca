#include "analysis/site_windows.h"

#include <algorithm>
#include <utility>

namespace memswell::analysis {
namespace {

// With very many windows (--phase-every) only the largest sites of each are kept.
constexpr std::size_t kManyWindows = 200;
constexpr std::size_t kSitesOfMany = 200;

}  // namespace

void SiteWindows::open(Nanoseconds begin, Bytes live) {
  open_ = Window{};
  open_.begin_ns = begin;
  open_.begin_live_bytes = live;
  open_.peak_live_bytes = live;
  open_.peak_live_ns = begin;
  live_ = live;
  touched_.clear();
  ++window_;
  ++peak_stamp_;  // the peak is here: every site's live bytes of this moment are those at the peak
}

SiteWindows::State& SiteWindows::touch(SiteIndex site) {
  if (site.value >= states_.size()) states_.resize(std::max<std::size_t>(site.value + 1, states_.size() * 2));
  State& state = states_[site.value];
  if (state.window != window_) {
    state.window = window_;
    state.now.site = site;
    state.now.calls = state.now.frees = 0;
    state.now.allocated_bytes = state.now.freed_bytes = 0;
    touched_.push_back(site);
  }
  if (state.peak_stamp != peak_stamp_) {  // unchanged since the last peak
    state.now.live_at_peak_bytes = state.now.live_bytes;
    state.peak_stamp = peak_stamp_;
  }
  return state;
}

void SiteWindows::note_peak(Nanoseconds time) {
  if (live_ <= open_.peak_live_bytes) return;
  open_.peak_live_bytes = live_;
  open_.peak_live_ns = time;
  ++peak_stamp_;
}

void SiteWindows::allocated(SiteIndex site, const BlockShare& block, Bytes size, Nanoseconds time, Bytes live_after) {
  State& state = touch(site);
  state.now.calls += block.blocks;
  state.now.live_blocks += block.blocks;
  state.now.allocated_bytes += block.requested;
  state.now.live_bytes += block.requested;
  state.own_peak = std::max(state.own_peak, state.now.live_bytes);
  state.growth_steps += size > state.last_block && size / 4 <= state.last_block;
  state.last_block = size;
  state.largest_block = std::max(state.largest_block, size);
  if (!told_) {
    open_.calls += block.blocks;
    open_.allocated_bytes += block.requested;
  }
  live_ = live_after;
  note_peak(time);
}

void SiteWindows::carried(SiteIndex site, Bytes bytes) {
  State& state = touch(site);
  ++state.now.live_blocks;
  state.now.live_bytes += bytes;
  state.now.live_at_peak_bytes = state.now.live_bytes;
  state.own_peak = std::max(state.own_peak, state.now.live_bytes);
}

void SiteWindows::told(const trace::CallTotals& now, const trace::CallTotals* before) {
  open_.calls += now.calls - (before != nullptr ? before->calls : 0);
  open_.allocated_bytes += now.allocated_bytes - (before != nullptr ? before->allocated_bytes : 0);
  // Before the first count the peak was an estimate.
  if (before == nullptr || now.peak_live_bytes > open_.peak_live_bytes) {
    open_.peak_live_bytes = now.peak_live_bytes;
    open_.peak_live_ns = now.peak_live_ns;
  }
  live_ = now.live_bytes;
}

void SiteWindows::freed(SiteIndex site, const BlockShare& block, Bytes live_after) {
  State& state = touch(site);
  state.now.frees += block.blocks;
  state.now.live_blocks -= block.blocks;
  state.now.freed_bytes += block.requested;
  state.now.live_bytes -= block.requested;
  live_ = live_after;
}

void SiteWindows::restored(SiteIndex site, const BlockShare& block, Nanoseconds time, Bytes live_after) {
  State& state = touch(site);
  if (state.now.frees >= block.blocks) {  // unless a cut came between the two
    state.now.frees -= block.blocks;
    state.now.freed_bytes -= block.requested;
  }
  state.now.live_blocks += block.blocks;
  state.now.live_bytes += block.requested;
  state.own_peak = std::max(state.own_peak, state.now.live_bytes);
  live_ = live_after;
  note_peak(time);
}

void SiteWindows::folded(std::span<const FoldedPart> parts, Bytes peak, Nanoseconds peak_time, Bytes live_after) {
  // First to the peak, all sites together, then on from there.
  for (const FoldedPart& part : parts) touch(part.site).now.live_bytes += part.live_at_peak - part.live_before;
  for (const FoldedPart& part : parts) {
    State& state = states_[part.site.value];
    state.own_peak = std::max(state.own_peak, state.now.live_bytes);
  }
  live_ = peak;
  note_peak(peak_time);
  for (const FoldedPart& part : parts) {
    State& state = touch(part.site);
    state.now.calls += part.calls;
    state.now.allocated_bytes += part.allocated_bytes;
    state.now.frees += part.frees;
    state.now.freed_bytes += part.freed_bytes;
    state.now.live_bytes += part.live_after - part.live_at_peak;
    state.now.live_blocks += part.blocks_after - part.blocks_before;
    state.own_peak = std::max(state.own_peak, part.own_peak);
    state.growth_steps += part.growth_steps;
    state.last_block = part.last_block;
    state.largest_block = std::max(state.largest_block, part.largest_block);
    if (told_) continue;
    open_.calls += part.calls;
    open_.allocated_bytes += part.allocated_bytes;
  }
  for (const FoldedPart& part : parts) {
    State& state = states_[part.site.value];
    state.own_peak = std::max(state.own_peak, state.now.live_bytes);
  }
  live_ = live_after;
}

SiteWindows::Stretch SiteWindows::take_stretch(Nanoseconds time) {
  cut(time);
  Stretch stretch;
  stretch.window = std::move(windows_.back());
  windows_.clear();
  sites_kept_ = 0;
  for (const SiteWindow& site : stretch.window.sites) {
    State& state = states_[site.site.value];
    FoldedPart& part = stretch.parts.emplace_back();
    part.site = site.site;
    part.frees = site.frees;
    part.freed_bytes = site.freed_bytes;
    part.growth_steps = std::exchange(state.growth_steps, 0);
    part.last_block = state.last_block;
    part.largest_block = state.largest_block;
    state.own_peak = state.now.live_bytes;
  }
  return stretch;
}

void SiteWindows::cut(Nanoseconds time) {
  open_.end_ns = time;
  open_.end_live_bytes = live_;
  for (SiteIndex site : touched_) open_.sites.push_back(touch(site).now);
  if (windows_.size() > kManyWindows && open_.sites.size() > kSitesOfMany) {
    const auto weight = [](const SiteWindow& site) {
      return std::max({site.allocated_bytes, site.freed_bytes, site.live_at_peak_bytes});
    };
    std::nth_element(open_.sites.begin(), open_.sites.begin() + kSitesOfMany, open_.sites.end(),
                     [&](const SiteWindow& a, const SiteWindow& b) { return weight(a) > weight(b); });
    open_.sites.resize(kSitesOfMany);
  }
  sites_kept_ += open_.sites.size();
  windows_.push_back(std::move(open_));
  open(time, live_);
}

}  // namespace memswell::analysis
