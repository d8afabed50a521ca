// The recorder: a process of its own that drains the recorded programs until the last of them has ended.
#pragma once

#include <string>

#include "base/unique_fd.h"
#include "capture/attach_server.h"
#include "capture/control_channel.h"
#include "capture/record.h"
#include "capture/region.h"
#include "trace/events.h"

namespace memswell::capture {

struct RecorderSetup {
  Region& region;
  AttachServer attach_server;
  ControlChannel control;
  ControlChannel pump;  // of the program's output; closed: there is none
  UniqueFd file;  // the recording, empty
  std::string path;  // its name
  const RecordOptions& options;
  pid_t program = 0;               // the forked process that will exec the program
  std::string program_path;        // the file that it will exec
  std::string not_recorded_reason;  // empty: it is recorded
  format::StampSource stamp_source = format::StampSource::tsc;
};

// Becomes the recorder: leaves the session and the caller's standard streams, ignores what terminals and users send to the
// program, records, and exits. Call it in a fresh child of a process without threads.
[[noreturn]] void run_recorder(RecorderSetup setup);

}  // namespace memswell::capture
