// What a recording says about the machine and the run.
#pragma once

#include "capture/record.h"
#include "trace/events.h"

namespace memswell::capture {

// To be called where the recording's time 0 is.
trace::RunInfo describe_run(const RecordOptions& options);

}  // namespace memswell::capture
