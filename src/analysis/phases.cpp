#include "analysis/phases.h"

#include <algorithm>

namespace memswell::analysis {

PhaseCutter::PhaseCutter(Nanoseconds begin, std::uint32_t pid) {
  Phase first;
  first.name = kFirstPhase;
  first.announced_by = pid;
  first.begin_ns = begin;
  phases_.push_back(first);
  extras_.emplace_back();
}

void PhaseCutter::note_rss(Bytes rss) {
  last_rss_ = rss;
  extras_.back().seen_peak_rss = std::max(extras_.back().seen_peak_rss, rss);
  if (phases_.size() == 1 && first_rss_ == 0) first_rss_ = phases_.front().begin_rss_bytes = rss;
}

void PhaseCutter::note_dirty(Bytes dirty) {
  last_dirty_ = dirty;
  Phase& phase = phases_.back();
  phase.peak_private_dirty_bytes = std::max(phase.peak_private_dirty_bytes, dirty);
  if (phases_.size() == 1 && !extras_.front().dirty_begin) {
    extras_.front().dirty_begin = true;
    phase.begin_private_dirty_bytes = dirty;
  }
}

void PhaseCutter::note_own(Bytes own) {
  last_own_ = own;
  extras_.back().own_most = std::max(extras_.back().own_most, own);
  extras_.back().own_least = std::min(extras_.back().own_least, own);
}

void PhaseCutter::on(const trace::Sample& sample) {
  note_own(std::min(sample.own_bytes, sample.rss_bytes));
  note_rss(sample.rss_bytes - last_own_);
  kernel_peak_now_ = std::max(kernel_peak_now_, sample.peak_rss_bytes);
}

void PhaseCutter::on(const Reading& reading) {
  if (!reading.figures) return;
  note_own(reading.own.rss_bytes);
  const bool phase = reading.cause == trace::SnapshotCause::phase;
  // At a boundary the mark was read before it was reset: it tells of the phase before.
  if (!phase) kernel_peak_now_ = std::max(kernel_peak_now_, reading.peak_rss_bytes);
  if (phase && awaiting_) at_boundary(reading);
  note_rss(reading.figures->rss_bytes);
  note_dirty(reading.figures->private_dirty_bytes);
  if (phase) {
    last_boundary_reading_ = reading;
    last_boundary_reading_->mappings.clear();
  }
}

// The reading of a boundary is the end of one phase and the begin of the next.
void PhaseCutter::at_boundary(const Reading& reading) {
  awaiting_ = false;
  if (phases_.size() < 2) return;
  Phase& before = phases_[phases_.size() - 2];
  Phase& now = phases_.back();
  before.end_rss_bytes = now.begin_rss_bytes = reading.figures->rss_bytes;
  before.end_private_dirty_bytes = now.begin_private_dirty_bytes = reading.figures->private_dirty_bytes;
  // Until here the last sample stood in; it is of the phase before.
  extras_.back().seen_peak_rss = reading.figures->rss_bytes;
  now.peak_private_dirty_bytes = reading.figures->private_dirty_bytes;
  before.peak_private_dirty_bytes = std::max(before.peak_private_dirty_bytes, reading.figures->private_dirty_bytes);
  Extra& extra = extras_[extras_.size() - 2];
  extra.dirty_end = extras_.back().dirty_begin = true;
  extra.seen_peak_rss = std::max(extra.seen_peak_rss, before.end_rss_bytes);
  extra.own_most = std::max(extra.own_most, reading.own.rss_bytes);
  extra.own_least = std::min(extra.own_least, reading.own.rss_bytes);
}

// How many of the pages at the peak were memswell's own is known by its readings in the phase only: the most of them
// are taken out, and the bound says how much that may be too much. A reading that saw more than that is right.
void PhaseCutter::fill_peak(std::size_t index) {
  Phase& phase = phases_[index];
  const Extra& extra = extras_[index];
  const Bytes kernel = extra.kernel_peak - std::min(extra.kernel_peak, extra.own_most);
  phase.peak_rss_exact = extra.kernel_peak_exact && extra.kernel_peak > 0;
  phase.peak_rss_bytes = phase.peak_rss_exact ? std::max(kernel, extra.seen_peak_rss) : extra.seen_peak_rss;
  const Bytes seen_growth = extra.own_most - std::min(extra.own_most, extra.own_least);
  phase.peak_rss_bound_bytes = std::max(seen_growth, extra.own_growth);  // the recorder knows of pages given back between
}

void PhaseCutter::on(const trace::PhaseBoundary& boundary, std::uint32_t announced_by, std::size_t window) {
  note_own(boundary.own_bytes);
  extras_.back().own_growth = boundary.own_growth_bytes;
  extras_.back().kernel_peak = std::max(boundary.peak_rss_bytes, kernel_peak_now_);
  extras_.back().kernel_peak_exact = boundary.peak_exact || phases_.size() == 1;
  kernel_peak_before_ = std::max(kernel_peak_before_, extras_.back().kernel_peak);
  Phase& before = phases_.back();
  before.end_ns = boundary.time;
  before.end_rss_bytes = last_rss_;
  before.end_private_dirty_bytes = last_dirty_.value_or(0);
  extras_.back().dirty_end = last_dirty_.has_value();
  if (phases_.size() == 1 && boundary.name == kFirstPhase) before.name = kBeforeStart;

  Phase next;
  next.name = boundary.name;
  name_bytes_ += boundary.name.size();
  next.announced_by = announced_by;
  next.begin_ns = boundary.time;
  next.begin_rss_bytes = last_rss_;
  next.begin_private_dirty_bytes = last_dirty_.value_or(0);
  next.peak_private_dirty_bytes = last_dirty_.value_or(0);
  phases_.push_back(next);
  Extra extra;
  extra.first_window = window;
  extra.seen_peak_rss = last_rss_;
  extra.dirty_begin = last_dirty_.has_value();
  extras_.push_back(extra);
  kernel_peak_now_ = 0;
  awaiting_ = true;
  if (last_boundary_reading_ && last_boundary_reading_->time_ns == boundary.time) at_boundary(*last_boundary_reading_);
}

void PhaseCutter::on(const trace::ProcessEnd& end) {
  // Readings of the mark differ by some pages, as the kernel counts a processor's pages in batches.
  constexpr Bytes kSameMark = Bytes{1} << 20;
  ended_ = true;
  Extra& extra = extras_.back();
  extra.kernel_peak = kernel_peak_now_;
  // The recorder keeps the largest mark of the whole life: it tells about the last phase unless it repeats an earlier
  // one.
  const bool of_last = phases_.size() == 1 || end.peak_rss_bytes > kernel_peak_before_ + kSameMark;
  if (of_last) extra.kernel_peak = std::max(extra.kernel_peak, end.peak_rss_bytes);
  extra.kernel_peak_exact = extra.kernel_peak > 0 && !end.peak_rss_is_lower_bound;
  phases_.back().end_ns = end.time;
}

std::vector<Phase> PhaseCutter::finish(Nanoseconds time, const std::vector<Window>& windows, Bytes counting_error) {
  Phase& last = phases_.back();
  if (!ended_) {
    last.end_ns = std::max(time, last.begin_ns);
    extras_.back().kernel_peak = kernel_peak_now_;
  }
  last.end_rss_bytes = last_rss_;
  last.end_private_dirty_bytes = last_dirty_.value_or(0);
  extras_.back().dirty_end = last_dirty_.has_value();
  for (std::size_t i = 0; i < phases_.size(); ++i) {
    fill_peak(i);
    Phase& phase = phases_[i];
    if (phase.peak_rss_exact) phase.peak_rss_bound_bytes += counting_error;
    phase.private_dirty_known = extras_[i].dirty_begin && extras_[i].dirty_end;
    const std::size_t end = i + 1 < phases_.size() ? extras_[i + 1].first_window : windows.size();
    for (std::size_t w = extras_[i].first_window; w < end && w < windows.size(); ++w) {
      const Window& window = windows[w];
      if (w == extras_[i].first_window) phase.begin_live_bytes = window.begin_live_bytes;
      phase.end_live_bytes = window.end_live_bytes;
      if (window.peak_live_bytes > phase.peak_live_bytes || w == extras_[i].first_window) {
        phase.peak_live_bytes = window.peak_live_bytes;
        phase.peak_live_ns = window.peak_live_ns;
      }
      phase.calls += window.calls;
      phase.allocated_bytes += window.allocated_bytes;
    }
  }
  return phases_;
}

}  // namespace memswell::analysis
