// The contract between a recorded program and the recorder: one shared memory region.
//
//   recorded program                     region (memfd, MAP_SHARED)                     recorder
//   ----------------                     --------------------------                     --------
//   hook ──► thread's ring  ──────────►  RunHeader                                      drains rings, merges by stamp,
//            (single producer)           ProcessSlot  × kProcessSlots   ◄────────────   frees rings, layouts and slots
//   first walk of a pc ──► step rule ─►  RingSlot     × kRingSlots
//                                        page pool: rings, walker memory, layouts
//
// Everything is written by programs that may be broken or hostile: the recorder checks every bound and reads
// every value once. All offsets are bytes from the start of the region. Integers are little-endian.
// This header is the only thing of ours that the interposer includes: no library, no allocation.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace memswell::format {

inline constexpr std::uint64_t kRegionMagic = 0x6c6c'6577'736d'656d;  // "memswell"
inline constexpr std::uint32_t kRegionVersion = 3;
inline constexpr std::uint64_t kPageBytes = 4096;
inline constexpr std::uint32_t kProcessSlots = 4096;
inline constexpr std::uint32_t kRingSlots = 16384;
inline constexpr std::uint32_t kPoolPages = 32768;  // at most: 128 MiB of address space; only touched pages cost memory
inline constexpr std::uint32_t kWalkLevels = 3;    // ordinary code, a signal handler in it, one more
inline constexpr std::uint32_t kStackLevels = kWalkLevels + 1;  // stacks a ring may speak of; the last: leaf only, keep = 0
inline constexpr std::uint32_t kMaxDepthLimit = 4000;
inline constexpr std::uint64_t kSampleAlwaysBytes = 128 * 1024;  // blocks of that usable size are recorded even when sampled
inline constexpr std::uint64_t kMostPendingBytes = 8192;         // of live bytes in the counters of a thread alone
inline constexpr std::uint64_t kSampledSetBytes = 65 * kPageBytes;

// ---------------------------------------------------------------------------------------------- run header

enum class OnFull : std::uint32_t { wait = 0, drop = 1 };
enum class StampSource : std::uint32_t { tsc = 0, counter = 1 };

struct RunHeader {
  std::uint64_t magic;
  std::uint32_t version;
  std::uint32_t max_depth;       // frames kept of a stack, the innermost ones
  std::uint64_t region_bytes;    // end of the pool; a program under RLIMIT_AS may map a prefix only
  std::uint64_t process_offset;  // ProcessSlot[kProcessSlots]
  std::uint64_t ring_offset;     // RingSlot[kRingSlots]
  std::uint64_t pool_offset;     // pages up to region_bytes: kPoolPages, or fewer where the recorder is under RLIMIT_AS
  OnFull on_full;
  StampSource stamp_source;
  std::uint32_t wait_limit_ms;  // longest wait on a full ring without progress of the recorder
  std::uint32_t check_walks;    // 1: compare every stack walk with libunwind's and count differences
  std::uint32_t track_writes;   // 1: each process offers a userfaultfd(2) for asynchronous write protection (--idle)
  // A robust, process-shared pthread mutex held by the recorder for its whole life. The kernel sets
  // FUTEX_OWNER_DIED in its first word when the recorder dies (set_robust_list(2)).
  alignas(8) std::uint32_t recorder_mutex[10];
  std::atomic<std::uint32_t> enabled;             // 0: recording has ended, hooks pass through
  std::atomic<std::uint32_t> recorder_heartbeat;  // grows with every drain round
  // Pages that all rings together may take (--ring-memory). Without --on-full=drop a thread that finds none left gets the
  // smallest ring all the same: events of threads without a ring are lost.
  std::uint32_t ring_page_budget;
  std::atomic<std::uint32_t> ring_pages_used;
  std::atomic<std::uint32_t> rings_wanted;  // grows when a thread found neither slot nor page: free what can be freed
  std::atomic<std::uint32_t> processes_high;  // slots at and above were never claimed
  std::atomic<std::uint32_t> rings_high;
  std::uint64_t sample_bytes;        // 0: every block is recorded; else one in so many usable bytes, and all are counted
  std::uint64_t sample_seed;         // of the random numbers that choose them
  std::uint64_t sampled_set_offset;  // kSampledSetBytes that each program maps privately
  std::atomic<std::uint32_t> walk_stacks;  // 0: blocks are recorded without a stack for now; then 1 for good
  char attach_address[128];  // as in the environment variable MEMSWELL_REGION, for execs with a rebuilt environment

  alignas(64) std::atomic<std::uint64_t> stamp_counter;  // StampSource::counter: next stamp is fetch_add(1)
  alignas(64) std::atomic<std::uint64_t> rings_active[kRingSlots / 64];  // set by the claimer, cleared by the recorder
  alignas(64) std::atomic<std::uint64_t> pool_used[kPoolPages / 64];     // one bit a page, claimed by compare-and-swap
};

inline constexpr std::uint32_t kFutexOwnerDied = 0x4000'0000;  // linux/futex.h

// ------------------------------------------------------------------------------------------------ processes

enum class SlotState : std::uint32_t { free = 0, claimed = 1, live = 2, closed = 3 };

// What the interposer found out about its chances; the recorder turns it into `capture` and `reason`.
enum class ProcessFlag : std::uint32_t {
  own_malloc = 1,        // the executable defines malloc itself: its calls go past the hooks
  no_libunwind = 2,      // libunwind is missing: frames without a step rule end the stack
  seccomp = 4,           // the process has entered seccomp: no system call from now on
  bypassed = 8,          // a library was loaded so that its calls go past the hooks (RTLD_DEEPBIND)
  partly_mapped = 16,    // RLIMIT_AS: only a prefix of the region could be mapped
  no_rseq = 32,          // records are not protected by restartable sequences
  no_sizes = 64,         // how large a block is cannot be asked when it is freed: calls that are sampled are not counted
};

enum class ProcessOrigin : std::uint32_t { exec = 0, fork = 1 };

struct OwnRange {  // address range in the program that belongs to memswell
  std::uint64_t begin;
  std::uint64_t end;
};

inline constexpr std::uint32_t kOwnRanges = 32;

struct ProcessSlot {
  std::atomic<SlotState> state;
  std::atomic<std::uint32_t> flags;  // ProcessFlag
  std::uint32_t pid;                 // getpid() as the program sees it (its own pid namespace)
  ProcessOrigin origin;
  std::uint32_t parent_slot;  // origin fork: the slot of the parent image
  std::uint32_t parent_pid;   // getppid() at the start
  std::uint64_t begin_stamp;
  std::uint64_t fork_stamp;        // origin fork: the parent's stamp before fork; 0 if fork was not seen
  std::uint64_t start_time_ticks;  // 0: not known; field 22 of /proc/self/stat else
  std::atomic<std::uint32_t> exit_requested;  // the process waits for its last snapshot (futex)
  std::atomic<std::uint32_t> exit_answered;
  std::atomic<std::uint64_t> uncertain_blocks;  // fork: hooks of other threads that were in flight
  std::atomic<std::uint64_t> lost_events;       // of threads that never got a ring
  std::atomic<std::uint64_t> walks_compared;
  std::atomic<std::uint64_t> walks_different;
  std::atomic<std::uint32_t> layout;  // LayoutHeader now in use: page number in the pool + 1; 0 = none yet
  std::atomic<std::uint32_t> own_ranges;
  OwnRange own[kOwnRanges];
  std::uint32_t allocator_path_layout;  // reserved
  char allocator_path[192];             // module that defines the real malloc, as the loader names it
  // Gate for consistent snapshots: odd = closed. Threads outside hooks go on, hooks wait on it (futex).
  alignas(64) std::atomic<std::uint32_t> gate;
  std::uint32_t reserved[15];
  // Only when calls are sampled. Live blocks and usable bytes of all threads, but for what their own counters hold.
  alignas(64) std::atomic<std::uint64_t> live_bytes;
  std::atomic<std::uint64_t> peak_live_bytes;
  std::atomic<std::uint64_t> live_blocks;  // inherited ones, and those of threads whose rings are gone
  std::uint64_t reserved1[5];
};

static_assert(sizeof(ProcessSlot) == 960);

// -------------------------------------------------------------------------------------------------- layouts
//
// A layout is one state of a process's modules: what lies where, and how frames there are stepped. The unloading of
// a module ends the layout; the next stack walk begins a new one. A forked child
// goes on with its parent's layout until its own modules change. Records carry plain addresses, so a ring says
// which layout its following records belong to (RecordKind::layout).

inline constexpr std::uint32_t kLayoutModules = 1024;
inline constexpr std::uint32_t kLayoutStringBytes = 96 * 1024;

struct ModuleEntry {
  std::uint64_t begin;        // first mapped address
  std::atomic<std::uint64_t> end;  // one past the last; written last: 0 = the entry is not there (yet)
  std::uint64_t load_bias;    // address − bias = address in the ELF file (p_vaddr)
  std::uint32_t path_offset;  // into the layout's strings; the executable's path is empty: read /proc/PID/exe
  std::uint16_t path_length;
  std::uint16_t build_id_length;
  std::uint8_t build_id[32];
};
static_assert(sizeof(ModuleEntry) == 64);

struct LayoutHeader {
  std::atomic<std::uint32_t> modules;       // entries claimed; an entry is there once its `end` is not 0 (acquire)
  std::atomic<std::uint32_t> strings_used;  // bytes
  std::atomic<std::uint32_t> users;         // processes; the recorder frees the pages at 0 and no ring in it
  std::atomic<std::uint32_t> rules;         // table of step rules: (page number + 1) << 8 | log2 of its entries
  std::atomic<std::uint32_t> rules_filled;
  std::uint32_t pages;                      // pages of header, modules and strings together
  std::atomic<std::uint32_t> retired_count;
  std::atomic<std::uint32_t> retired[13];   // earlier, smaller rule tables, as `rules`; freed with the layout
  ModuleEntry module[kLayoutModules];
  char strings[kLayoutStringBytes];
};

// A step rule: how to get from a frame to its caller. Open addressing by pc, never changed once written.
struct RuleEntry {
  std::atomic<std::uint64_t> pc;    // 0: free
  std::atomic<std::uint64_t> rule;  // 0: being written
};
static_assert(sizeof(RuleEntry) == 16);

// ---------------------------------------------------------------------------------------------------- rings

// What a thread counts of its calls, all of them, when they are sampled. Numbers modulo 2^64.
struct CallCounters {
  alignas(64) std::atomic<std::uint64_t> calls;
  std::atomic<std::uint64_t> allocated_bytes;  // requested
  std::atomic<std::uint64_t> frees;
  std::atomic<std::uint64_t> pending;       // signed: change of live usable bytes that is not in ProcessSlot::live_bytes yet
  std::atomic<std::uint64_t> pending_peak;  // the largest that `pending` was since it was 0 there
  std::uint64_t reserved[3];
};

struct RingSlot {
  // Constant while the ring is live.
  alignas(64) std::atomic<SlotState> state;  // closed: no more records will come, drain and free it
  std::uint32_t process_slot;
  std::uint32_t data_page;    // first page of the words in the pool
  std::uint32_t words_log2;   // capacity in words
  std::uint32_t memory_page;  // walker memory in the pool
  std::uint32_t memory_pages;
  std::uint64_t thread_pointer;         // of the owner: a new thread with the same one inherits the ring
  std::atomic<std::uint32_t> tid;       // gettid() as the program sees it
  std::uint32_t reserved0;
  // Written by the thread.
  alignas(64) std::atomic<std::uint64_t> head;  // words written since the claim
  std::atomic<std::uint32_t> in_hook;           // >0 between entry and end of a hook
  std::atomic<std::uint32_t> waiting;           // 1: sleeps on `wake` (futex) for room
  std::atomic<std::uint64_t> lost;              // events dropped
  std::atomic<std::uint64_t> waits;             // times the ring was full
  // Written by the recorder.
  alignas(64) std::atomic<std::uint64_t> tail;  // words consumed
  std::atomic<std::uint32_t> wake;
  std::uint32_t reserved1[13];
  CallCounters counters;  // written by the thread
};
static_assert(sizeof(RingSlot) == 256);

// -------------------------------------------------------------------------------------------------- records
//
// A record is a run of 64-bit words in a ring (indices are taken modulo its capacity):
//
//   w0   kind (bits 0–7) | small (8–15) | address (16–63)
//   w1   stamp
//   w2   only kinds with a size: size (0–37) | level (38–39) | keep (40–51) | push (52–63)
//   …    extra words, in this order, as each kind says
//   pcs  `push` words, outermost first
//
// Stacks are written as a difference: the thread's last stack of this level keeps its `keep` outermost frames
// and gets `push` new ones. On the last level nothing is kept: `push` is 1 for the leaf alone, and 0 where no stack was
// taken (RunHeader::walk_stacks). A pc is a return address unless kExactPc is set (the frame was interrupted by a signal);
// values below kFirstPc are marks of why the walk ended, always outermost.

enum class RecordKind : std::uint8_t {
  none = 0,
  // With a stack. small = usable − requested, or kSlackInWord: then one extra word holds the usable size.
  // size = requested, or kSizeInWord: then one extra word (after usable) holds it.
  malloc = 1,
  calloc = 2,
  aligned = 3,       // posix_memalign, aligned_alloc, memalign, valloc, pvalloc
  realloc_end = 4,   // the new block; last extra word: the address before (0: none). Stamped after the call.
  operator_new = 5,  // where an allocator's own library defines it
  map = 6,           // mmap: size = length (small is 0); extra word: prot | flags << 32 | (fd ≥ 0) << 63
  remap = 7,         // mremap: address new, size = new length; extra words: old address, old length
  heap_break = 8,    // brk, sbrk by the program: address = the new break, size = 0; extra word: the break before
  // Without a stack: two words, plus the extra words named.
  free = 16,
  realloc_begin = 17,   // address = the old block, which ends here unless realloc_failed follows. Before the call.
  realloc_failed = 18,  // the old block lives on
  unmap = 19,           // extra: length
  advise = 20,          // madvise that succeeded. small = advice, extra: length
  // About the thread and process.
  thread = 32,          // another thread goes on with this ring; address = its tid
  layout = 33,          // following pcs belong to the layout at pool page `address` − 1
  mark_phase = 34,      // extra: length in bytes, then the name in words, zero-padded
  mark_value = 35,      // the same, the value before the length
  block_used = 36,      // memswell_used: address, extra: bytes used
  pool_free = 37,       // memswell_pool_free: address, extra: bytes
  pool_alloc = 38,
  forking = 39,         // before fork: the child's begin refers to this stamp
  executing = 40,       // before exec, after spawn: address = pid that executes (a child's after vfork and spawn; as the
                        // program sees it), small = ExecNote; extra: length, then the path
  exiting = 41,         // address = ExitKind
  exec_failed = 42,
};

// Why an image about to start will not be recorded; 0: it will.
enum class ExecNote : std::uint8_t {
  recorded = 0,
  static_executable = 1,
  other_libc = 2,     // its loader is not glibc's (musl)
  sanitizer = 3,      // needs its own run-time library first
  privileged = 4,     // setuid, setgid or file capabilities: the loader ignores the preload
  other_class = 5,    // 32-bit or another machine
  no_environment = 6, // the environment given has no preload
  unreadable = 7,
};

enum class ExitKind : std::uint8_t { exit = 1, fast_exit = 2, quick_exit = 3, library_end = 4 };

inline constexpr std::uint64_t kSlackInWord = 0xff;
inline constexpr std::uint32_t kSizeBits = 38;
inline constexpr std::uint64_t kSizeInWord = (std::uint64_t{1} << kSizeBits) - 1;
inline constexpr std::uint32_t kLevelShift = 38;
inline constexpr std::uint32_t kKeepShift = 40;
inline constexpr std::uint32_t kPushShift = 52;
inline constexpr std::uint32_t kCountMask = 0xfff;
inline constexpr std::uint64_t kExactPc = std::uint64_t{1} << 63;
inline constexpr std::uint64_t kPcMask = (std::uint64_t{1} << 56) - 1;
inline constexpr std::uint64_t kFirstPc = 16;

enum class WalkEnd : std::uint64_t {
  depth_limit = 1,      // the outer frames were cut at max_depth
  unreadable = 2,       // the next frame lies in memory that cannot be read
  no_unwind_data = 3,   // neither tables nor a frame pointer lead on
};

}  // namespace memswell::format
