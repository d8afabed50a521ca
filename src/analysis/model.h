// What the analysis makes of a recording: plain values that reports lay out. Bytes and nanoseconds throughout; times
// are since the recording began. Every RSS and private-dirty figure leaves memswell's own pages out.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/finding_model.h"
#include "analysis/ledger_model.h"
#include "analysis/stack_model.h"
#include "analysis/timeline_model.h"
#include "trace/events.h"

namespace memswell::analysis {

struct ExitStatus {
  trace::EndReason reason = trace::EndReason::unknown;
  std::int32_t code = -1;   // if exited
  std::int32_t signal = 0;  // if signalled
  std::optional<trace::GroupMemory> group = {};  // if oom_killed: its control group, at the last look before
};
std::string_view exit_reason_key(trace::EndReason reason);  // "exited", "signalled", "oom_killed", …

// The first part of a recording that was folded (run --max-recording): its blocks are known where a snapshot was taken and at
// its end, its calls by their sums over stretches of time. All sums and peaks are exact all the same, but the own peak of a
// site with several stacks, which is a lower bound.
inline constexpr std::uint64_t kFoldedStretches = 256;  // of about the same length; phases and snapshots cut more
struct FoldedTime {
  Bytes max_bytes = 0;  // --max-recording
  Nanoseconds end_ns = 0;
  std::uint64_t events = 0;  // allocations and releases in it
  std::uint32_t folds = 0;   // how often the recording was folded
  std::uint64_t samples_left_out = 0;
  std::uint64_t snapshots_left_out = 0;
};

struct RecordingState {
  bool complete = false;
  std::string end_sentence;  // if not complete: where and why it ends
  std::uint64_t lost_events = 0;
  std::uint64_t ring_waits = 0;
  std::uint64_t events = 0;  // allocations and releases
  std::optional<FoldedTime> folded;
};

// What a process did before its calls were recorded one by one (--start-on). Its blocks that lived then have a site of
// their own.
struct EarlierTotals {
  Nanoseconds end_ns = 0;  // calls are recorded from here on
  bool reached = false;    // the phase has begun; false: no call of the process is recorded
  std::uint64_t calls = 0;
  Bytes allocated_bytes = 0;
  std::uint64_t frees = 0;
  std::uint64_t unmatched_frees = 0;
  std::uint64_t live_blocks = 0;  // at end_ns, inherited ones in
  Bytes live_bytes = 0;
  Bytes peak_live_bytes = 0;
  Nanoseconds peak_live_ns = 0;
};

struct ProcessTotals {
  Figures figures;  // the process's own calls and blocks; inherited ones are apart
  std::uint64_t live_blocks_at_exit = 0;
  Bytes live_bytes_at_exit = 0;
  std::uint64_t inherited_blocks = 0;  // live at the fork; of another process's calls
  Bytes inherited_bytes = 0;
  std::uint64_t inherited_live_at_exit = 0;  // blocks
  Bytes inherited_live_bytes_at_exit = 0;
  Bytes peak_live_bytes = 0;  // own and inherited together, as in phases and timeline
  std::uint64_t peak_live_blocks = 0;
  Nanoseconds peak_live_ns = 0;
  bool counted = false;  // of a sample: the sums are exact, as all calls were counted; false: they are estimates too
  Bytes peak_live_uncertain_bytes = 0;  // sampled: the peak may have been so much higher
  Bytes peak_rss_bytes = 0;     // the kernel's, own left out
  Nanoseconds peak_rss_ns = 0;  // of the largest reading
  bool peak_rss_is_lower_bound = false;
  Bytes peak_rss_sampled_bytes = 0;    // largest reading: how much of the peak the samples saw
  Bytes peak_private_dirty_bytes = 0;  // sampled
  Nanoseconds peak_private_dirty_ns = 0;
  Bytes end_rss_bytes = 0;  // last reading
  Bytes end_private_dirty_bytes = 0;
  Nanoseconds end_rss_ns = 0;
  bool end_known = false;
  Bytes own_peak_bytes = 0;            // memswell's own resident pages, at their largest
  Bytes own_private_dirty_bytes = 0;   // as last read
  std::uint64_t replaced = 0;          // blocks closed by an allocation at their address (a free was missed)
  std::uint64_t unmatched_frees = 0;   // frees of addresses that were not live (allocated before us)
  std::uint64_t uncertain_blocks = 0;  // in flight in other threads at a fork
  std::uint64_t lost_events = 0;
  std::uint64_t ring_waits = 0;
  std::uint64_t walks_compared = 0;
  std::uint64_t walks_different = 0;
  std::uint64_t threads = 0;
  Bytes largest_returned_mapping_bytes = 0;  // glibc: largest freed block with a mapping of its own, below 32 MiB
  Bytes unnamed_at_peak_bytes = 0;           // live at the peak from sites without a function name
  std::string unnamed_module;                // the module with most of them
  std::string unnamed_note;                  // what would supply the names
};

struct StackFigures {
  StackId stack;
  Figures figures;
};

// Lifetimes of freed blocks: bucket i counts those that lived less than 10^i µs (last: all longer).
inline constexpr std::size_t kLifetimeBuckets = 9;
struct Lifetimes {
  std::uint64_t blocks[kLifetimeBuckets] = {};
  Bytes bytes[kLifetimeBuckets] = {};
};

struct ProcessReport {
  ProcessIndex index;
  std::uint32_t pid = 0;
  std::uint32_t ppid = 0;
  trace::ProcessStart start = trace::ProcessStart::exec;
  std::vector<std::string> command;
  std::string executable;
  std::string allocator;
  trace::Capture capture = trace::Capture::full;
  std::string capture_reason;  // one sentence; empty for full
  Nanoseconds begin_ns = 0;
  Nanoseconds end_ns = 0;
  ExitStatus exit;
  ProcessTotals totals;
  std::optional<EarlierTotals> earlier;   // of calls before those that `totals` counts
  std::vector<Phase> phases;              // at least "start"
  std::vector<LedgerSnapshot> snapshots;  // in order of time
  int peak_snapshot = -1;                 // into snapshots: the nearest to the RSS peak
  int exit_snapshot = -1;                 // the last one
  std::vector<Site> sites;                // by live_at_peak_bytes, largest first
  std::vector<StackFigures> stacks;       // every stack that allocated, by id
  std::vector<SiteIndex> site_of_stack;   // parallel to `stacks`
  Lifetimes lifetimes;
  std::vector<TimelineRow> timeline;
  std::vector<Pulse> pulses;
  std::vector<Finding> findings;  // sorted by bytes saved, then by bytes
};

// All processes at one moment, shared pages counted once (PSS).
struct TreeTotals {
  Nanoseconds time_ns = 0;      // of the largest sum
  Bytes pss_bytes = 0;          // where every process had a smaps reading near it
  Bytes rss_bytes = 0;          // plain sum: counts shared pages once a process
  std::uint32_t processes = 0;  // alive then
};

struct RunReport {
  std::vector<std::string> command;
  std::string working_directory;
  std::uint64_t started_unix_ns = 0;
  Nanoseconds duration_ns = 0;
  std::string kernel;
  std::string machine;
  std::string libc;
  std::uint64_t page_bytes = 4096;
  std::uint64_t cpus = 0;
  Bytes memory_bytes = 0;
  std::vector<std::string> environment;
  std::string huge_pages;
  Nanoseconds sample_interval_ns = 0;
  std::uint32_t max_depth = 0;
  std::string memswell_version;
  Bytes sample_bytes = 0;  // 0: every call is recorded; else figures of sites and stacks are estimates from some of them
  Bytes sample_always_bytes = 0;  // blocks of that usable size and more are recorded always
  std::string start_on;  // calls are recorded from the begin of this phase on; empty: from the beginning
  ExitStatus exit;  // of the first process (its last image)
  RecordingState recording;
  std::vector<ProcessReport> processes;  // in order of their begin
  StackTable stacks;
  TreeTotals tree_peak;
};

}  // namespace memswell::analysis
