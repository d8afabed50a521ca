// What a recording says, as typed values: the writer takes them, the reader gives them back in the same order.
// Events of one process come in one total order (a valid linearization of what its threads did); the position in
// the stream is the order, `time` may repeat. Everything here is plain data.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/ids.h"

namespace memswell::trace {

// ----------------------------------------------------------------------------------------- who was recorded

struct RunInfo {
  std::vector<std::string> command;
  std::string working_directory;
  std::uint64_t started_unix_ns = 0;  // CLOCK_REALTIME at time 0
  std::string kernel;                 // uname -r
  std::string machine;                // CPU model
  std::string libc;                   // "glibc 2.36"
  std::uint64_t page_bytes = 4096;
  std::uint64_t cpus = 0;
  std::uint64_t memory_bytes = 0;
  std::vector<std::string> environment;  // only what changes allocators: MALLOC_*, GLIBC_TUNABLES, PYTHONMALLOC, …
  std::string huge_pages;                // /sys/kernel/mm/transparent_hugepage/enabled
  Nanoseconds sample_interval = 0;
  std::uint32_t max_depth = 0;
  std::string memswell_version;
};

// How calls were to be recorded, where that is not each of them from the beginning. Behind RunInfo, if at all.
struct RecordingMode {
  std::string start_on;    // the phase from whose begin on they are; empty: from the beginning
  Bytes sample_bytes = 0;  // 0: each one. Else a block of usable size u < always_bytes is recorded with 1 − exp(−u / sample_bytes)
  Bytes always_bytes = 0;  // blocks of that usable size and more are recorded in any case
};

enum class Capture : std::uint8_t { full = 0, sampler = 1 };
enum class ProcessStart : std::uint8_t { exec = 0, fork = 1 };

struct ProcessBegin {
  ProcessIndex process;
  Nanoseconds time = 0;
  std::uint32_t pid = 0;   // as memswell sees it
  std::uint32_t ppid = 0;
  ProcessStart start = ProcessStart::exec;
  ProcessIndex parent;     // meaningful if start == fork: the live blocks here are inherited
  bool has_parent = false;
  std::string executable;
  std::vector<std::string> command;
};

// May come several times: the last one holds. `reason` is one sentence for a person, empty for Capture::full.
struct CaptureNote {
  ProcessIndex process;
  Capture capture = Capture::full;
  std::string reason;
  std::string allocator;  // "glibc 2.36", "jemalloc", "own (linked into PROGRAM)", …
};

enum class EndReason : std::uint8_t { running = 0, exited = 1, signalled = 2, replaced_by_exec = 3, unknown = 4, oom_killed = 5 };

struct ProcessEnd {
  ProcessIndex process;
  Nanoseconds time = 0;
  EndReason reason = EndReason::unknown;
  std::int32_t code = -1;    // exit status, if exited and known
  std::int32_t signal = 0;
  std::uint64_t lost_events = 0;
  std::uint64_t ring_waits = 0;         // times a thread had to wait for the recorder
  std::uint64_t uncertain_blocks = 0;   // in flight in other threads at a fork
  std::uint64_t unmatched_frees = 0;    // reserved
  std::uint64_t walks_compared = 0;
  std::uint64_t walks_different = 0;
  Bytes peak_rss_bytes = 0;             // VmHWM as last read, or ru_maxrss; memswell's own pages not taken out
  bool peak_rss_is_lower_bound = false; // the kernel's figure could not be read at the end
  Bytes own_peak_bytes = 0;             // memswell's own resident pages at their largest
};

// The control group of a process that the kernel killed for want of memory; comes before its ProcessEnd. The figures are
// those of the last look before the kill, at `time`.
struct GroupMemory {
  ProcessIndex process;
  Nanoseconds time = 0;
  Bytes limit_bytes = 0;  // 0: none
  Bytes anon_bytes = 0;
  Bytes file_bytes = 0;   // in the page cache and shared memory
  Bytes kernel_bytes = 0;
  Bytes current_bytes = 0;  // charged in all
};

// ------------------------------------------------------------------------------------------------- symbols

struct Module {
  ModuleId id;
  std::string path;
  std::vector<std::uint8_t> build_id;
  friend bool operator==(const Module&, const Module&) = default;
};

// Where a module lay in a process. address − bias = address in the ELF file.
struct ModuleMapping {
  ProcessIndex process;
  ModuleId module;
  Nanoseconds time = 0;
  Address begin = 0;
  Address end = 0;
  Address bias = 0;
};

enum class FrameKind : std::uint8_t {
  call = 0,             // offset is a return address: look up offset − 1
  exact = 1,            // interrupted here by a signal
  depth_limit = 2,      // marks of why the stack ends, always outermost (format::WalkEnd)
  unreadable = 3,
  no_unwind_data = 4,
  earlier = 5,          // stands for the whole stack: the block is older than the recording of calls (RecordingMode::start_on)
};

struct Frame {
  ModuleId module;            // 0: code outside of any module; then offset is the address
  FrameKind kind = FrameKind::call;
  std::uint64_t offset = 0;   // address in the ELF file
  friend auto operator<=>(const Frame&, const Frame&) = default;
};

// A node of the trie: this frame, called from the stack `parent`. Ids are dense and begin at 1; parents come first.
struct StackNode {
  StackId id;
  StackId parent;
  Frame frame;
};

// One inlined level of a frame, innermost first in a list.
struct SourceFrame {
  std::string function;  // demangled; empty: unknown
  std::string file;
  std::uint32_t line = 0;
  friend bool operator==(const SourceFrame&, const SourceFrame&) = default;
};

// Written after the run, so that a recording opens on another machine.
struct FrameSymbols {
  Frame frame;
  std::vector<SourceFrame> levels;
};

// How much of a module could be named, for "N bytes lack names: install PACKAGE-dbgsym".
struct ModuleSymbols {
  ModuleId module;
  bool symbol_table = false;
  bool debug_info = false;
  std::string note;  // where they came from, or what would supply them
};

// -------------------------------------------------------------------------------------------------- events

struct ThreadBegin {
  ProcessIndex process;
  ThreadIndex thread;
  std::uint32_t tid = 0;
  Nanoseconds time = 0;
};

enum class AllocationKind : std::uint8_t { malloc = 0, calloc = 1, aligned = 2, realloc = 3, operator_new = 4 };

struct Allocation {
  ProcessIndex process;
  ThreadIndex thread;
  Nanoseconds time = 0;
  Address address = 0;
  Bytes requested = 0;
  Bytes usable = 0;
  StackId stack;
  AllocationKind kind = AllocationKind::malloc;
  Address replaced = 0;  // realloc: the block before (0: none); its end came as Release::Kind::realloc earlier
};

struct Release {
  enum class Kind : std::uint8_t {
    free = 0,
    realloc = 1,         // a realloc of this block has begun: it ends here …
    realloc_failed = 2,  // … unless this follows: it lives on
  };
  ProcessIndex process;
  ThreadIndex thread;
  Nanoseconds time = 0;
  Address address = 0;
  Kind kind = Kind::free;
};

// A block that is older than the recording of its process's calls.
struct EarlierBlock {
  Address address = 0;
  Bytes requested = 0;
  Bytes usable = 0;
  Nanoseconds time = 0;
  friend bool operator==(const EarlierBlock&, const EarlierBlock&) = default;
};

// The recording of a process's calls begins here. What it did before is known in sum only; the blocks that live follow.
struct CallsBegin {
  ProcessIndex process;
  Nanoseconds time = 0;
  bool reached = false;  // the phase has begun; false: the process ended before, and no call of it is recorded
  std::vector<EarlierBlock> seen;  // one block of each 4 MiB stretch and kind (own mapping or not) that ever held one
};

// Some of them. Their calls are not among the process's recorded ones, but before.
struct EarlierBlocks {
  ProcessIndex process;
  StackId stack;           // of FrameKind::earlier
  bool inherited = false;  // live at the fork that made this process
  std::vector<EarlierBlock> blocks;
};

// Sums over all calls of a process so far, recorded one by one or not: where only some of them are.
struct CallTotals {
  ProcessIndex process;
  Nanoseconds time = 0;
  std::uint64_t calls = 0;
  Bytes allocated_bytes = 0;  // requested
  std::uint64_t frees = 0;
  std::uint64_t unmatched_frees = 0;
  std::uint64_t live_blocks = 0;   // inherited ones are in
  Bytes live_bytes = 0;            // requested; in a sampled recording as usable_bytes, for what was requested is not known
  Bytes usable_bytes = 0;
  Bytes peak_live_bytes = 0;       // since the last such totals of this process …
  Nanoseconds peak_live_ns = 0;    // … and when, as far as it is known
  Bytes peak_uncertain_bytes = 0;  // the peak may have been so much higher
};

// Calls of the program itself; what the allocator maps for itself is not among them.
struct MappingEvent {
  enum class Kind : std::uint8_t { map = 0, unmap = 1, remap = 2, advise = 3, heap_break = 4 };
  ProcessIndex process;
  ThreadIndex thread;
  Nanoseconds time = 0;
  Kind kind = Kind::map;
  Address address = 0;
  Bytes length = 0;
  StackId stack;                // map, remap, heap_break
  std::uint32_t protection = 0; // map
  std::uint32_t flags = 0;      // map: MAP_*; advise: MADV_*
  bool file_backed = false;     // map
  Address old_address = 0;      // remap; heap_break: the break before (`address` is the new one)
  Bytes old_length = 0;         // remap
};

struct Mark {
  enum class Kind : std::uint8_t { phase = 0, value = 1 };
  ProcessIndex process;  // who announced it
  Nanoseconds time = 0;
  Kind kind = Kind::phase;
  std::string name;
  std::int64_t value = 0;
};

// Told by the program through memswell.h.
struct BlockNote {
  enum class Kind : std::uint8_t { used = 0, pool_free = 1, pool_alloc = 2 };
  ProcessIndex process;
  Nanoseconds time = 0;
  Kind kind = Kind::used;
  Address address = 0;
  Bytes bytes = 0;
};

// ----------------------------------------------------------------------------------------------- footprint
//
// Samples stand in the stream after every event that happened before them, as far as it is known.

// The cheap reading: /proc/PID/statm. memswell's own pages are in; take own_bytes out.
struct Sample {
  ProcessIndex process;
  Nanoseconds time = 0;
  Bytes size_bytes = 0;
  Bytes rss_bytes = 0;
  Bytes shared_bytes = 0;  // file and shared-memory part of rss
  Bytes own_bytes = 0;     // resident pages of memswell's own, as last known
  Bytes peak_rss_bytes = 0;  // VmHWM when it was read with this sample, else 0
};

enum class SnapshotCause : std::uint8_t { periodic = 0, phase = 1, peak = 2, exit = 3, mark = 4, before_release = 5, start = 6 };

// The thorough readings, as the kernel gave them. Text is kept raw: analysis parses it with probes/smaps.
struct SmapsSnapshot {
  ProcessIndex process;
  Nanoseconds time = 0;
  SnapshotCause cause = SnapshotCause::periodic;
  std::string rollup;  // /proc/PID/smaps_rollup, or empty
  std::string smaps;   // /proc/PID/smaps, or empty
  std::string status;  // /proc/PID/status, or empty
};

// Residency of pages. Runs are ordered, do not overlap and hold only pages that are present or swapped.
enum class PageBit : std::uint32_t {
  present = 1,
  zero_page = 2,       // present, but not in RSS
  huge = 4,
  file = 8,
  swapped = 16,
  shared = 32,         // mapped by another process too, as far as the source can tell
  shared_known = 64,   // bit `shared` is meaningful
  maybe_zero_page = 128,  // source cannot tell the zero page from a page shared by fork
  written = 256,       // since the phase began; meaningful if `tracked`
  tracked = 512,       // run --idle: it is known whether the page was written
};

struct PageRun {
  Address begin = 0;
  Address end = 0;
  std::uint32_t bits = 0;  // PageBit
  friend bool operator==(const PageRun&, const PageRun&) = default;
};

enum class PageSource : std::uint8_t { none = 0, pagemap_scan = 1, pagemap = 2, smaps_only = 3 };

struct OwnRange {
  Address begin = 0;
  Address end = 0;
};

// Together with the SmapsSnapshot of the same process and time (which follows it in the stream) and the live blocks at
// this place in the stream: a ledger.
struct PageSnapshot {
  ProcessIndex process;
  Nanoseconds time = 0;
  SnapshotCause cause = SnapshotCause::periodic;
  std::string phase;              // name of the phase that begins here, for cause == phase
  PageSource source = PageSource::none;
  bool consistent = false;        // the threads were held at the gate
  Nanoseconds pause = 0;          // how long
  std::vector<PageRun> runs;
  std::vector<OwnRange> own;      // memswell's own address ranges
};

// A phase boundary of one process: the phase before ends, `name` begins. The kernel's peak of the phase that ends.
struct PhaseBoundary {
  ProcessIndex process;
  ProcessIndex announced_by;
  Nanoseconds time = 0;
  std::string name;
  Bytes peak_rss_bytes = 0;      // VmHWM of the phase that ends
  bool peak_exact = false;       // VmHWM was reset when that phase began
  Bytes own_bytes = 0;           // of memswell, at the boundary
  Bytes own_growth_bytes = 0;    // growth of own pages in the phase that ends: bound of the peak's error
};

struct RunEnd {
  Nanoseconds time = 0;
  bool complete = false;       // false: the recorder stopped early
  std::string reason;          // one sentence, if not complete
};

}  // namespace memswell::trace
