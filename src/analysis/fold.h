// Folds the oldest part of a recording (run --max-recording): blocks that came and went become sums by stack, and what is
// written stands for that part in less room (trace/fold_events.h). A part that was folded before is folded on.
//
//   recording:  [ folded before | events … ]| events …
//                                           └ border: the rest is appended by the caller, byte for byte
//   written:    [ folded                   ]
#pragma once

#include <cstdint>
#include <string>

#include "base/ids.h"
#include "base/result.h"
#include "base/unique_fd.h"
#include "trace/recording_writer.h"

namespace memswell::analysis {

struct FoldTask {
  UniqueFd from;             // the recording, open for reading
  std::string path;          // its name, for sentences
  trace::Border border;      // what stands before it is folded
  Nanoseconds time = 0;      // about when the border was made
  UniqueFd to;               // an empty file
  Bytes max_bytes = 0;       // --max-recording
};

// Errors: the recording cannot be read up to the border, the file cannot be written.
Result<void> fold(FoldTask task);

}  // namespace memswell::analysis
