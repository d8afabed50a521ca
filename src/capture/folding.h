// Keeps the recording below --max-recording: when it has reached half of it, a process of its own folds the oldest part into a
// file beside it (RecordOptions::fold), the recorder appends what has come since and gives the new file the recording's name.
// Both files together stay below the bound, as far as what is not foldable allows.
//
// The recorder goes on meanwhile. At any moment the file at the recording's name is whole; a fold that fails leaves it as it is.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

#include "base/ids.h"
#include "base/unique_fd.h"
#include "capture/record.h"
#include "trace/recording_writer.h"

namespace memswell::capture {

class Folding {
 public:
  // Owned by the recorder; `writer` and `options` must outlive it. `path`: of the recording.
  Folding(trace::RecordingWriter& writer, const RecordOptions& options, std::string path);

  // Often, between rounds: cheap when there is nothing to do.
  void tick(Nanoseconds now);
  // More ticks would make the recording smaller: where nothing comes any more.
  bool is_too_large() const;
  // Ends a fold that is under way; the recording stays as it is.
  void abandon();
  // What the user should know: sentences. Once.
  std::vector<std::string> take_notes();

 private:
  struct Place {
    trace::Border border;
    Nanoseconds time = 0;
  };
  // What the folding process tells at its end.
  struct Outcome {
    std::uint64_t folded_bytes = 0;  // of the folded part, in the new file
    std::uint64_t copied_to = 0;     // what follows it was copied up to here
    char failure[200] = {};          // empty: none
  };

  void start(Nanoseconds now);
  [[noreturn]] void run_child(const Place& place, const UniqueFd& from);
  void finish();
  bool make_room();
  bool open_new_file();
  bool take_name();
  std::string append_rest(const Outcome& outcome);
  void switch_files(const Outcome& outcome);
  void fail(const std::string& why);
  void note_once(std::string sentence);

  trace::RecordingWriter& writer_;
  const RecordOptions& options_;
  std::string path_;
  Bytes most_ = 0;  // 0: off
  std::vector<Place> places_;
  Bytes next_fold_ = 0;
  Bytes folded_end_ = 0;  // of the folded part
  pid_t child_ = -1;
  Place folding_;
  UniqueFd from_;  // the recording, for reading
  UniqueFd to_;
  std::string to_path_;  // empty: it has no name yet
  UniqueFd told_;        // the child's words
  std::vector<std::string> notes_;
  bool noted_ = false;
  bool given_up_ = false;  // a fold has failed
};

}  // namespace memswell::capture
