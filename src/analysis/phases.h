// Cuts the life of one process into phases. The kernel's peak RSS of a phase comes with the boundary that ends it;
// RSS and private dirty at a boundary come with the reading of the same moment, before or after it in the stream.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "analysis/readings.h"
#include "analysis/site_windows.h"
#include "analysis/timeline_model.h"
#include "trace/events.h"

namespace memswell::analysis {

// Name of the first phase; if the program announces a phase of this name itself, the time before it is called
// kBeforeStart.
inline constexpr const char* kFirstPhase = "start";
inline constexpr const char* kBeforeStart = "before start";

class PhaseCutter {
 public:
  PhaseCutter(Nanoseconds begin, std::uint32_t pid);

  void on(const trace::Sample& sample);
  void on(const Reading& reading);
  // `announced_by`: pid. `window`: number of ledger windows that are complete now.
  void on(const trace::PhaseBoundary& boundary, std::uint32_t announced_by, std::size_t window);
  void on(const trace::ProcessEnd& end);

  // The phases with their live figures. `time`: end of the last one, if the process's end was not seen.
  // `counting_error`: of the kernel's mark; part of each exact peak's bound.
  std::vector<Phase> finish(Nanoseconds time, const std::vector<Window>& windows, Bytes counting_error = 0);

  Bytes held_bytes() const { return phases_.size() * 2 * (sizeof(Phase) + sizeof(Extra)) + name_bytes_; }
  const std::string& current() const { return phases_.back().name; }
  const std::vector<Phase>& phases() const { return phases_; }

 private:
  struct Extra {
    std::size_t first_window = 0;
    Bytes seen_peak_rss = 0;  // largest reading
    Bytes kernel_peak = 0;    // VmHWM, own not taken out; 0: not known
    bool kernel_peak_exact = false;
    Bytes own_growth = 0;  // as the recorder bounds it
    Bytes own_most = 0;  // memswell's own pages in this phase
    Bytes own_least = UINT64_MAX;
    bool dirty_begin = false;  // private dirty known at the begin / end
    bool dirty_end = false;
  };

  void note_rss(Bytes rss);
  void note_dirty(Bytes dirty);
  void at_boundary(const Reading& reading);
  void note_own(Bytes own);
  void fill_peak(std::size_t phase);

  std::vector<Phase> phases_;
  std::vector<Extra> extras_;  // parallel to phases_
  Bytes name_bytes_ = 0;
  std::optional<Reading> last_boundary_reading_;
  Bytes last_rss_ = 0;  // own left out
  Bytes last_own_ = 0;
  std::optional<Bytes> last_dirty_;
  Bytes first_rss_ = 0;
  Bytes kernel_peak_now_ = 0;     // VmHWM read in this phase, own not taken out
  Bytes kernel_peak_before_ = 0;  // the largest of earlier phases, own not taken out
  bool awaiting_ = false;         // a boundary has no reading yet
  bool ended_ = false;
};

}  // namespace memswell::analysis
