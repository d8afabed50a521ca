// Measures the recorded processes from outside (probes/smaps) and writes what it finds: the cheap reading at a steady
// interval, the thorough ones within a budget of a core.
//
//   statm, status     every interval           the RSS curve, VmHWM
//   smaps             1 % of a core            what the footprint is made of, and how much of it is memswell's own
//   smaps + pages     5 % of a core            at new peaks; at phases and ends always
#pragma once

#include <string>

#include "capture/gate.h"
#include "capture/image_table.h"
#include "capture/region.h"
#include "capture/stamp_clock.h"
#include "probes/smaps/budgeted_schedule.h"
#include "trace/recording_writer.h"

namespace memswell::capture {

struct FootprintOptions {
  Nanoseconds interval = 20'000'000;
  bool snapshots_at_peaks = true;
  bool snapshots_at_phases = true;
  bool reset_peaks = true;
};

class Footprint {
 public:
  Footprint(const Region& region, trace::RecordingWriter& writer, const StampClock& clock, const ImageTable& images,
            FootprintOptions options);

  // To be called at least every `interval`. Takes the samples that are due; images at a new peak get
  // `peak_snapshot_due`, and whoever takes that snapshot says what it cost.
  void tick(Nanoseconds now);
  void peak_snapshot_took(Nanoseconds begin, Nanoseconds cost) { peak_schedule_.record(begin, cost); }
  bool snapshots_at_phases() const { return options_.snapshots_at_phases; }
  Nanoseconds next_tick() const { return next_tick_; }

  // statm and VmHWM. False: the process is gone.
  bool sample(Image& image);
  // Takes a sample: is the footprint so much larger than at the last snapshot that another is wanted?
  bool is_at_new_peak(Image& image);

  // smaps and status as they are.
  void read_thorough(Image& image, trace::SnapshotCause cause);

  // Pages, smaps and status, while `gate` holds the threads; opens it when they are read. `phase`: the one that begins here.
  void snapshot(Image& image, trace::SnapshotCause cause, const std::string& phase, ClosedGate& gate);

  // The kernel's peak of the phase that ends goes into `boundary`, and VmHWM begins anew where that is wanted and works.
  void cut_peak(Image& image, trace::PhaseBoundary& boundary);

 private:
  bool read_status(Image& image, std::string& text);
  Bytes own_address_bytes(const Image& image) const;
  bool read_smaps(Image& image, std::string& text);
  bool look(Image& image, trace::SmapsSnapshot& smaps, trace::PageSnapshot& pages);
  void track_writes(Image& image, const trace::SmapsSnapshot& smaps, trace::PageSnapshot& pages);
  void read_own(Image& image, const std::string& smaps_text);
  void sample_image(Image& image, Nanoseconds now);

  const Region& region_;
  trace::RecordingWriter& writer_;
  const StampClock& clock_;
  const ImageTable& images_;
  FootprintOptions options_;
  smaps::BudgetedSchedule thorough_schedule_;
  smaps::BudgetedSchedule peak_schedule_;
  smaps::BudgetedSchedule mark_schedule_;
  smaps::ReadBuffer buffer_;
  Nanoseconds next_tick_ = 0;
};

}  // namespace memswell::capture
