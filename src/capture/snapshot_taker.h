// Cuts phases and takes the snapshots that the programs' records, the user, or the footprint ask for.
//
// A record asks by standing in the order of events: what it wants is queued, the round of its process ends there, and
// perform() does it before the next round. The program that wrote such a record then waits (ProcessSlot::exit_requested)
// until it is answered, so that its memory is still as it was.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "capture/call_start.h"
#include "capture/drain.h"
#include "capture/footprint.h"
#include "capture/image_table.h"
#include "trace/recording_writer.h"

namespace memswell::capture {

class SnapshotTaker {
 public:
  SnapshotTaker(const Region& region, trace::RecordingWriter& writer, const StampClock& clock, ImageTable& images,
                Drain& drain, Footprint& footprint, CallStart& calls)
      : region_(region), writer_(writer), clock_(clock), images_(images), drain_(drain), footprint_(footprint), calls_(calls) {}

  // From records, in their place.
  void announce_phase(Image& by, const std::string& name, Nanoseconds time);
  void announce_value(Image& by);
  void announce_exit(Image& image);

  // From outside of the programs: now, for all processes. `by` may be null: then the recording's first process is told.
  // What comes before any process has begun waits for the first.
  void cut_phase(const std::string& name, const Image* by);
  void note_value(const std::string& name, std::int64_t value, Image& by);

  // Does what was announced, and the snapshots of new peaks. True if there was anything.
  bool perform();

  // Programs that wait: reads their rings, takes what they asked for, lets them go on.
  bool answer_waiting();

 private:
  enum class Wish : std::uint8_t { phase, value, exit };
  struct Request {
    Wish wish;
    ProcessIndex process;
    std::string name;
    Nanoseconds time = 0;
  };
  Image* find(ProcessIndex index) const;
  void cut(const std::string& name, ProcessIndex announced_by);
  void take(Image& image, trace::SnapshotCause cause, const std::string& phase);
  void answer(Image& image);

  const Region& region_;
  trace::RecordingWriter& writer_;
  const StampClock& clock_;
  ImageTable& images_;
  Drain& drain_;
  Footprint& footprint_;
  CallStart& calls_;
  std::vector<Request> requests_;
  std::vector<std::string> early_phases_;
};

}  // namespace memswell::capture
