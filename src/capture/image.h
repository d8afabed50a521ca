// One image of one process in the recording: from fork or exec to exit or the next exec. Plain data shared by the parts of
// the recorder; ImageTable owns it.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "base/ids.h"
#include "base/unique_fd.h"
#include "capture/earlier_calls.h"
#include "capture/memory_groups.h"
#include "capture/write_tracker.h"
#include "probes/smaps/linux_sampler.h"
#include "trace/events.h"
#include "trace/format.h"

namespace memswell::capture {

struct Ring;

// The program, or a child that it spawned, is about to exec; told by its `executing` record.
struct PendingExec {
  std::string path;
  format::ExecNote note = format::ExecNote::recorded;
  std::uint32_t pid = 0;   // as the program sees it
  Nanoseconds time = 0;
};

struct Image {
  ProcessIndex index;
  pid_t pid = 0;  // as the recorder sees it
  std::optional<std::uint32_t> slot;  // of the region; none: sampled only
  bool is_described = false;  // the next three were written
  trace::Capture capture = trace::Capture::sampler;
  bool provisional = false;  // begun because the process was seen; may still attach
  std::uint64_t fork_stamp = 0;       // names the fork that it came from
  std::uint32_t inherited_layout = 0;  // kept for it by its parent until it has a slot: page + 1
  std::uint64_t last_fork_stamp = 0;  // of the forks that its records have told of
  std::string executable;
  std::vector<std::string> command;
  std::string reason;     // as in trace::CaptureNote
  std::string allocator;

  UniqueFd pidfd;  // readable when the process has ended
  std::unique_ptr<smaps::LinuxSampler> sampler;  // null: the process had ended before it was looked at
  bool process_ended = false;     // seen by pidfd; what is left in its rings still comes

  bool finishing = false;         // the last round: nothing is waited for

  // Where calls are sampled (CallSums): counts of threads whose rings are gone, the most rings at once, the peak as told.
  struct RetiredCalls {
    std::uint64_t calls = 0;
    Bytes allocated_bytes = 0;
    std::uint64_t frees = 0;
  } retired_calls;
  std::size_t most_rings = 0;
  Bytes told_peak_bytes = 0;

  std::unique_ptr<EarlierCalls> earlier;  // its calls are held back (CallStart); null: recorded one by one

  std::vector<Ring*> rings;
  Nanoseconds begin_time = 0;
  Nanoseconds last_time = 0;  // of its newest event: times never go back within an image
  std::set<std::tuple<std::uint32_t, Address, Address>> mapped_modules;  // written: module, begin, bias

  // Counted up as rings are freed and, at the end, from the slot.
  std::uint64_t lost_events = 0;
  std::uint64_t ring_waits = 0;
  std::uint64_t broken_rings = 0;
  Bytes ring_bytes_high = 0;  // most that its rings took together before one was given back, in this phase

  std::vector<PendingExec> execs;
  std::uint64_t bytes_written = 0;        // by its write calls, when a line of its output was last looked at
  std::optional<std::uint8_t> exit_kind;  // format::ExitKind
  std::uint32_t flags_reported = 0;       // format::ProcessFlag

  // Footprint.
  MemoryGroups::Group* memory_group = nullptr;
  WriteTracker writes;
  Nanoseconds next_thorough = 0;  // when the next smaps is due
  Bytes peak_rss_bytes = 0;       // largest VmHWM read, over resets
  Bytes phase_peak_bytes = 0;     // VmHWM as last read
  bool peak_is_of_phase = true;   // VmHWM counts from the begin of this phase on
  Bytes rss_bytes = 0;            // as last sampled
  Bytes snapshot_rss_bytes = 0;   // RSS at the last page snapshot
  Bytes snapshot_disagreement_bytes = 0;  // between smaps and the page map of the last snapshot
  bool peak_snapshot_due = false;
  Bytes own_bytes = 0;
  Bytes own_peak_bytes = 0;
  Bytes own_at_phase_bytes = 0;
  bool last_snapshot_taken = false;       // in its exit hooks
  std::uint32_t snapshots_since_answer = 0;  // of those that the program asked for by a record
  std::uint32_t answered = 0;             // format::ProcessSlot::exit_requested that was answered
};

}  // namespace memswell::capture
