// What `memswell mark` and the clock ask of a running recording.
//
//   pids                    one line: the pids of the recorded processes
//   phase NAME              cuts a phase for all processes; answered when it is in the file
//   phase-soon NAME         the same, answered at once
//   value NUMBER NAME       a number on the timeline
#pragma once

#include <string>
#include <vector>

#include "capture/attach_server.h"
#include "capture/image_table.h"
#include "capture/snapshot_taker.h"

namespace memswell::capture {

class ControlRequests {
 public:
  ControlRequests(ImageTable& images, SnapshotTaker& taker, trace::RecordingWriter& writer)
      : images_(images), taker_(taker), writer_(writer) {}

  void handle(std::vector<ControlRequest> requests);

  // --phase-every: cuts "interval N" when the N-th has passed. 0: never.
  void cut_intervals(Nanoseconds now, Nanoseconds every);

 private:
  void handle(const ControlRequest& request);
  void handle_value(const ControlRequest& request, const std::string& argument);
  Image* image_for(pid_t pid) const;

  ImageTable& images_;
  SnapshotTaker& taker_;
  trace::RecordingWriter& writer_;
  std::uint64_t intervals_ = 0;
};

}  // namespace memswell::capture
