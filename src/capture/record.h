// The room's front door: records a command to its end, or marks a recording that is running.
//
//   memswell run (caller of record)         recorder (a process of its own)        the program
//   launches, passes signals on, waits ───► drains rings, samples, cuts phases ◄── libmemswell.so, one shared region
//
// record() returns when the program's first process has ended and what it did is in the file; descendants that go on
// are recorded to their end by the recorder. Call it from a process without threads: it forks.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/ids.h"
#include "base/result.h"
#include "base/unique_fd.h"
#include "trace/events.h"
#include "trace/recording_writer.h"

namespace memswell::capture {

enum class WhenRingsAreFull : std::uint8_t {
  wait,  // the thread waits for the recorder: nothing is lost
  drop,  // events are dropped and counted
};

// When residency of every page is read (trace::SnapshotCause); at the end of a process it always is.
struct SnapshotChoice {
  bool at_phases = true;
  bool at_peaks = true;
};

// What the functions of a recording are called; asked by the recorder when the run has ended, so that the recording opens
// on another machine.
struct FrameNames {
  std::vector<trace::FrameSymbols> frames;
  std::vector<trace::ModuleSymbols> modules;
};
using NameFrames = std::function<FrameNames(std::span<const trace::Module>, std::span<const trace::Frame>)>;

// A part of the recording that is to be folded: what stands before the border, into an empty file (--max-recording).
struct FoldRequest {
  UniqueFd from;  // the recording, open for reading
  std::string path;
  trace::Border border;
  Nanoseconds time = 0;  // when the border was made
  UniqueFd to;
  Bytes max_bytes = 0;
};
using FoldRecording = std::function<Result<void>(FoldRequest)>;

struct RecordOptions {
  std::vector<std::string> command;  // at least the program
  std::string output;                // %p pid, %e program, %% percent sign; empty: ./memswell.%e.%p.swell
  bool overwrite = false;            // --force
  Nanoseconds interval = 20'000'000;        // between RSS samples; at least 1 ms
  std::uint32_t max_depth = 256;            // frames kept of a stack, 1 … format::kMaxDepthLimit
  WhenRingsAreFull when_full = WhenRingsAreFull::wait;
  Bytes ring_memory = Bytes{16} << 20;      // all rings together, at least 256 KiB
  std::optional<std::string> phase_on;      // ECMAScript regex on lines of the program's output; group 1 names the phase
  Nanoseconds phase_every = 0;              // 0: off
  std::string start_on;                     // calls are recorded from this phase on; empty: from the beginning
  Bytes sample_bytes = 0;                   // record one block in so many usable bytes, count all; 0: record every block
  std::optional<std::uint64_t> sample_seed; // of the numbers that choose them; none: another one each time
  SnapshotChoice snapshots;
  bool reset_peaks = true;                  // write 5 to clear_refs at phases: the program can see it in its ru_maxrss
  bool idle = false;                        // which pages a phase has not written (Linux 6.7); costs its first writes 1.4 µs a page
  bool preload = true;                      // false: sample only
  bool check_walks = false;                 // compare every stack walk with libunwind's; slow
  Bytes max_recording = 0;                  // fold the oldest part of the recording to keep it below; 0: off
  FoldRecording fold;                       // does it, in a process of its own
  std::string memswell_version;
  NameFrames name_frames;                   // empty: the recording is left without names
};

struct RecordOutcome {
  std::uint32_t pid = 0;
  std::int32_t exit_status = 0;  // if signal == 0
  std::int32_t signal = 0;       // the program was ended by it
  Nanoseconds elapsed = 0;       // from start to end of the first process
  std::string recording = {};    // path of the file
  bool descendants_run_on = false;      // the recorder goes on with them, the file grows
  std::optional<Error> failure = {};    // the recording ends early (disk full, …); the program lived on
  std::vector<std::string> notes = {};  // sentences for the user that came up on the way
};

// Errors: the program is not found (127) or cannot be executed (126), the recording cannot be written, the region cannot
// be made (125). Sentences that the user should see before the program runs go to base/log at once.
Result<RecordOutcome> record(const RecordOptions& options);

// Ends the calling process as the program ended: same status, or same signal without a core file.
[[noreturn]] void end_like_program(const RecordOutcome& outcome);

struct MarkRequest {
  std::string name;
  std::optional<std::uint32_t> pid;    // a process of the recording; none: the recording that the caller runs in, else the only one
  std::optional<std::int64_t> value;   // set: a number on the timeline instead of a phase
  bool wait = false;                   // return after the boundary is in the file
};

// Errors (own_failure): no such recording, several to choose from, refused.
Result<void> mark(const MarkRequest& request);

}  // namespace memswell::capture
