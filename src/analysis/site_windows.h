// What each site did between two cuts of the run (phase boundaries, the ends and peaks of pulses), and the exact peak
// of live bytes in between. Only sites that did something are kept, so that thousands of windows stay small.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "analysis/sampling.h"
#include "analysis/stack_model.h"
#include "base/ids.h"
#include "trace/events.h"

namespace memswell::analysis {

struct SiteWindow {
  SiteIndex site;
  std::uint64_t calls = 0;
  Bytes allocated_bytes = 0;
  std::uint64_t frees = 0;
  Bytes freed_bytes = 0;
  Bytes live_bytes = 0;  // at the end of the window
  std::uint64_t live_blocks = 0;
  Bytes live_at_peak_bytes = 0;  // when the process's live bytes were at their peak in this window
};

struct Window {
  Nanoseconds begin_ns = 0;
  Nanoseconds end_ns = 0;
  Bytes begin_live_bytes = 0;
  Bytes end_live_bytes = 0;
  Bytes peak_live_bytes = 0;  // of the process, inherited blocks in
  Nanoseconds peak_live_ns = 0;
  std::uint64_t calls = 0;
  Bytes allocated_bytes = 0;
  std::vector<SiteWindow> sites;  // that allocated or freed; the largest ones if there were very many
};

// What one stack did in a folded stretch of time (trace::FoldedCalls).
struct FoldedPart {
  SiteIndex site;
  std::uint64_t calls = 0;
  Bytes allocated_bytes = 0;
  std::uint64_t frees = 0;
  Bytes freed_bytes = 0;
  std::uint64_t blocks_before = 0;
  std::uint64_t blocks_after = 0;
  Bytes live_before = 0;
  Bytes live_at_peak = 0;  // of the process
  Bytes live_after = 0;
  Bytes own_peak = 0;
  std::uint64_t growth_steps = 0;
  Bytes last_block = 0;
  Bytes largest_block = 0;
};

class SiteWindows {
 public:
  explicit SiteWindows(Nanoseconds begin, Bytes live) { open(begin, live); }

  // Called before and after a change of the process's live bytes; `live_after` is the process's new total.
  // `block`: what it stands for where calls are sampled.
  void allocated(SiteIndex site, const BlockShare& block, Bytes size, Nanoseconds time, Bytes live_after);
  void freed(SiteIndex site, const BlockShare& block, Bytes live_after);
  // A block that lives from before: of no call of this window.
  void carried(SiteIndex site, Bytes bytes);
  // Calls of the open window come from told() alone.
  void calls_are_told() { told_ = true; }
  // Where calls are not recorded one by one: sums until now, and those before them.
  void told(const trace::CallTotals& now, const trace::CallTotals* before);
  // A block that is not of this process's own calls has gone.
  void inherited_freed(Bytes live_after) { live_ = live_after; }
  // A failed realloc: the block lives on, as if nothing had been.
  void restored(SiteIndex site, const BlockShare& block, Nanoseconds time, Bytes live_after);

  // A folded stretch of time, all in the open window. The own peak of a site with several stacks is a lower bound there.
  void folded(std::span<const FoldedPart> parts, Bytes peak, Nanoseconds peak_time, Bytes live_after);

  // Ends the window and begins the next.
  void cut(Nanoseconds time);

  // For a fold, where every stack is a site of its own: ends the window, gives it away and counts from zero.
  struct Stretch {
    Window window;
    std::vector<FoldedPart> parts;  // site, frees, growth and largest blocks; parallel to window.sites
  };
  Stretch take_stretch(Nanoseconds time);

  Bytes held_bytes() const {
    return states_.size() * sizeof(State) + windows_.size() * sizeof(Window) + sites_kept_ * sizeof(SiteWindow);
  }
  const std::vector<Window>& windows() const { return windows_; }
  Bytes peak_live_bytes(SiteIndex site) const { return site.value < states_.size() ? states_[site.value].own_peak : 0; }
  // Allocations here that were larger than the one before, but at most four times: a buffer that grows.
  std::uint64_t growth_steps(SiteIndex site) const {
    return site.value < states_.size() ? states_[site.value].growth_steps : 0;
  }
  Bytes largest_block_bytes(SiteIndex site) const {
    return site.value < states_.size() ? states_[site.value].largest_block : 0;
  }

 private:
  struct State {
    SiteWindow now;      // of the open window
    Bytes own_peak = 0;  // of the whole run
    Bytes last_block = 0;
    Bytes largest_block = 0;
    std::uint64_t growth_steps = 0;
    std::uint64_t peak_stamp = 0;  // the process peak for which now.live_at_peak_bytes holds
    std::uint32_t window = 0;      // the window that `now` counts for
  };

  void open(Nanoseconds begin, Bytes live);
  State& touch(SiteIndex site);
  void note_peak(Nanoseconds time);

  std::vector<State> states_;       // by SiteIndex
  std::vector<SiteIndex> touched_;  // in the open window
  std::vector<Window> windows_;
  Window open_;
  Bytes live_ = 0;
  std::uint64_t peak_stamp_ = 1;  // grows with every new peak of the open window
  std::uint32_t window_ = 0;
  bool told_ = false;
  std::size_t sites_kept_ = 0;  // in all windows
};

}  // namespace memswell::analysis
