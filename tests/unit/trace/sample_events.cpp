#include "tests/unit/trace/sample_events.h"

#include <limits>
#include <string>

namespace memswell::trace {
namespace {

constexpr std::uint64_t kMax64 = std::numeric_limits<std::uint64_t>::max();
constexpr std::uint32_t kMax32 = std::numeric_limits<std::uint32_t>::max();
constexpr std::uint32_t kThreads = 1500;  // more than the tables of contexts hold
const std::string kNotText("caf\xe9\xff\0\x1b[2J\n", 10);
const std::string kLong(100'000, 'x');

void add_descriptions(std::vector<AnyEvent>& events) {
  events.push_back(RunInfo{});
  events.push_back(RunInfo{.command = {"", kNotText, kLong},
                           .working_directory = kNotText,
                           .started_unix_ns = kMax64,
                           .kernel = "6.1.0",
                           .machine = "",
                           .libc = "glibc 2.36",
                           .page_bytes = 65536,
                           .cpus = kMax64,
                           .memory_bytes = kMax64,
                           .environment = {"MALLOC_ARENA_MAX=1"},
                           .huge_pages = "always [madvise] never",
                           .sample_interval = kMax64,
                           .max_depth = kMax32,
                           .memswell_version = "0.1.0"});
  events.push_back(RecordingMode{kNotText, kMax64, kMax64});
  events.push_back(ProcessBegin{});
  events.push_back(process(1));
  events.push_back(ProcessBegin{.process = {2},
                                .time = kMax64,
                                .pid = kMax32,
                                .ppid = kMax32,
                                .start = ProcessStart::fork,
                                .parent = {1},
                                .has_parent = true,
                                .executable = kNotText,
                                .command = {}});
  events.push_back(CaptureNote{{2}, Capture::sampler, kNotText, "jemalloc"});
  events.push_back(Module{{1}, kNotText, {0, 0xff, 0x7f}});
  events.push_back(Module{{2}, "", {}});
  events.push_back(ModuleMapping{{1}, {2}, 5, kMax64, 0, kMax64});
  events.push_back(ModuleSymbols{{2}, true, false, kNotText});
  events.push_back(ModuleSymbols{{0}, false, true, ""});
  events.push_back(FrameSymbols{});
  events.push_back(FrameSymbols{{{2}, FrameKind::no_unwind_data, kMax64}, {{kNotText, "", kMax32}, {"", kLong, 0}}});
  for (std::uint32_t thread = 0; thread < kThreads; ++thread)
    events.push_back(ThreadBegin{{2}, {thread}, kMax32, kMax64});
}

void add_stacks(std::vector<AnyEvent>& events) {
  events.push_back(StackNode{{1}, {0}, {{0}, FrameKind::call, 0}});
  events.push_back(StackNode{{2}, {1}, {{2}, FrameKind::no_unwind_data, kMax64}});
  events.push_back(StackNode{{3}, {1}, {{2}, FrameKind::no_unwind_data, kMax64}});
  events.push_back(StackNode{{4}, {0}, {{1}, FrameKind::exact, 1}});
}

void add_blocks(std::vector<AnyEvent>& events) {
  events.push_back(Allocation{});
  events.push_back(Release{});
  events.push_back(
      Allocation{{2}, {kThreads - 1}, kMax64, kMax64, kMax64, kMax64, {4}, AllocationKind::operator_new, 0});
  events.push_back(Allocation{{0}, {kThreads - 1}, 0, 1, kMax64, 0, {1}, AllocationKind::realloc, kMax64});
  events.push_back(Allocation{{1}, {0}, 10, 0x1000, 16, 24, {2}, AllocationKind::realloc, 0x1000});
  events.push_back(Allocation{{1}, {0}, 10, 0x1000, 16, 24, {2}, AllocationKind::realloc, 0});
  events.push_back(Release{{1}, {0}, 11, 0x1000, Release::Kind::realloc});
  events.push_back(Release{{1}, {0}, 12, 0x1000, Release::Kind::realloc_failed});
  events.push_back(Release{{1}, {0}, 13, 0x1000, Release::Kind::free});
  events.push_back(Release{{2}, {5}, 13, 0x1000, Release::Kind::free});
  events.push_back(Release{{2}, {5}, 13, kMax64, Release::Kind::free});
  for (std::uint32_t i = 0; i < 2 * kThreads; ++i) {
    events.push_back(Allocation{{i % 3}, {i % kThreads}, i, 0x7000 + i, i, 2 * i, {i % 5}, AllocationKind::calloc, 0});
  }
}

void add_earlier(std::vector<AnyEvent>& events) {
  events.push_back(StackNode{{5}, {0}, {{0}, FrameKind::earlier, 0}});
  events.push_back(CallTotals{});
  events.push_back(CallTotals{{1}, kMax64, kMax64, kMax64, kMax64, kMax64, kMax64, kMax64, kMax64, kMax64, kMax64, kMax64});
  events.push_back(CallsBegin{{2}, 7, true, {{kMax64, kMax64, kMax64, kMax64}, {}}});
  events.push_back(EarlierBlocks{{2}, {5}, true, {{0x1000, 1, 24, 3}, {0x800, 0, 0, kMax64}}});
  events.push_back(EarlierBlocks{});
}

void add_footprint(std::vector<AnyEvent>& events) {
  events.push_back(MappingEvent{});
  events.push_back(
      MappingEvent{{1}, {2}, 9, MappingEvent::Kind::remap, kMax64, kMax64, {3}, kMax32, kMax32, true, kMax64, kMax64});
  events.push_back(MappingEvent{{1}, {2}, 3, MappingEvent::Kind::heap_break, 0, 0, {}, 0, 0, false, 0, 0});
  events.push_back(Mark{{1}, 3, Mark::Kind::value, kNotText, std::numeric_limits<std::int64_t>::min()});
  events.push_back(Mark{{1}, 3, Mark::Kind::phase, "", std::numeric_limits<std::int64_t>::max()});
  events.push_back(BlockNote{{2}, 4, BlockNote::Kind::pool_alloc, kMax64, kMax64});
  events.push_back(Sample{});
  events.push_back(Sample{{2}, kMax64, kMax64, kMax64, kMax64, kMax64, kMax64});
  events.push_back(SmapsSnapshot{{2}, 6, SnapshotCause::start, kNotText, kLong, ""});
  events.push_back(PageSnapshot{});
  events.push_back(PageSnapshot{{2},
                                6,
                                SnapshotCause::phase,
                                kNotText,
                                PageSource::smaps_only,
                                true,
                                kMax64,
                                {{0, kMax64, kMax32}, {kMax64, 0, 0}, {4096, 8192, 3}},
                                {{1, 2}, {kMax64, kMax64}}});
  events.push_back(PhaseBoundary{{2}, {1}, kMax64, kNotText, kMax64, true, kMax64, kMax64});
}

void add_folded(std::vector<AnyEvent>& events) {
  FoldedCalls calls;
  calls.process = {1};
  calls.time = 3;
  calls.live_blocks = calls.peak_live_ns = kMax64;
  calls.lifetime_blocks = {0, kMax64};
  calls.heap_granules = {kMax64, 1};
  calls.own.live_at_peak_variance = kMax64;
  calls.stacks = {{{1}, {}, kMax64, 1, 2, 3, kMax64}, {}};
  events.push_back(calls);
  events.push_back(FoldedLive{{0}, kMax64, 0, kMax64});
  events.push_back(FoldedThread{{0}, {0}, kMax64, 1, kMax64, 0, {1}, AllocationKind::operator_new, kMax64, true});
}

}  // namespace

ProcessBegin process(std::uint32_t index) {
  ProcessBegin begin;
  begin.process = {index};
  return begin;
}

std::vector<AnyEvent> nasty_events() {
  std::vector<AnyEvent> events;
  add_descriptions(events);
  add_stacks(events);
  add_blocks(events);
  add_earlier(events);
  add_footprint(events);
  add_folded(events);
  events.push_back(GroupMemory{{1}, 20, kMax64, 0, kMax64, 1, kMax64});
  events.push_back(ProcessEnd{{1},
                              20,
                              EndReason::oom_killed,
                              std::numeric_limits<std::int32_t>::min(),
                              std::numeric_limits<std::int32_t>::max(),
                              kMax64,
                              kMax64,
                              kMax64,
                              kMax64,
                              kMax64,
                              kMax64,
                              kMax64,
                              true,
                              kMax64});
  events.push_back(RunEnd{21, true, ""});
  return events;
}

}  // namespace memswell::trace
