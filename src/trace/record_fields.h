// The fields of each kind of record in the order in which they lie on disk: one function a kind, used by the encoder
// and by the decoder, so that the two cannot disagree. A changed field -> raise disk::kVersion.
#pragma once

#include <cstddef>
#include <tuple>
#include <type_traits>

#include "trace/events.h"
#include "trace/fold_events.h"

namespace memswell::trace {

// Position = the type's number on disk: append only.
using RecordKinds =
    std::tuple<RunInfo, ProcessBegin, CaptureNote, ProcessEnd, Module, ModuleMapping, FrameSymbols, ModuleSymbols,
               ThreadBegin, MappingEvent, Mark, BlockNote, Sample, SmapsSnapshot, PageSnapshot, PhaseBoundary, RunEnd,
               RecordingMode, CallsBegin, EarlierBlocks, CallTotals, GroupMemory, FoldBegin, FoldEnd, FoldedCalls, FoldedLive, FoldedThread>;
inline constexpr std::size_t kRecordKinds = std::tuple_size_v<RecordKinds>;

template <class Record, std::size_t kAt = 0>
constexpr std::size_t record_number() {
  if constexpr (std::is_same_v<Record, std::tuple_element_t<kAt, RecordKinds>>) {
    return kAt;
  } else {
    return record_number<Record, kAt + 1>();
  }
}

// The last value that an enum may have on disk.
template <class Enum>
inline constexpr Enum kLastOf = Enum{};
template <>
inline constexpr Capture kLastOf<Capture> = Capture::sampler;
template <>
inline constexpr ProcessStart kLastOf<ProcessStart> = ProcessStart::fork;
template <>
inline constexpr EndReason kLastOf<EndReason> = EndReason::oom_killed;
template <>
inline constexpr FrameKind kLastOf<FrameKind> = FrameKind::earlier;
template <>
inline constexpr MappingEvent::Kind kLastOf<MappingEvent::Kind> = MappingEvent::Kind::heap_break;
template <>
inline constexpr Mark::Kind kLastOf<Mark::Kind> = Mark::Kind::value;
template <>
inline constexpr BlockNote::Kind kLastOf<BlockNote::Kind> = BlockNote::Kind::pool_alloc;
template <>
inline constexpr SnapshotCause kLastOf<SnapshotCause> = SnapshotCause::start;
template <>
inline constexpr AllocationKind kLastOf<AllocationKind> = AllocationKind::operator_new;
template <>
inline constexpr PageSource kLastOf<PageSource> = PageSource::smaps_only;

// `record` is const for the encoder, and not for the decoder.
template <class Record, class Kind>
concept Of = std::is_same_v<std::remove_const_t<Record>, Kind>;

template <class Io>
void fields(Io& io, Of<RunInfo> auto& r) {
  io(r.command, r.working_directory, r.started_unix_ns, r.kernel, r.machine, r.libc, r.page_bytes, r.cpus,
     r.memory_bytes, r.environment, r.huge_pages, r.sample_interval, r.max_depth, r.memswell_version);
}

template <class Io>
void fields(Io& io, Of<ProcessBegin> auto& r) {
  io(r.process);
  io.time(r.time);
  io(r.pid, r.ppid, r.start, r.parent, r.has_parent, r.executable, r.command);
}

template <class Io>
void fields(Io& io, Of<CaptureNote> auto& r) {
  io(r.process, r.capture, r.reason, r.allocator);
}

template <class Io>
void fields(Io& io, Of<ProcessEnd> auto& r) {
  io(r.process);
  io.time(r.time);
  io(r.reason, r.code, r.signal, r.lost_events, r.ring_waits, r.uncertain_blocks, r.unmatched_frees, r.walks_compared,
     r.walks_different, r.peak_rss_bytes, r.peak_rss_is_lower_bound, r.own_peak_bytes);
}

template <class Io>
void fields(Io& io, Of<GroupMemory> auto& r) {
  io(r.process);
  io.time(r.time);
  io(r.limit_bytes, r.anon_bytes, r.file_bytes, r.kernel_bytes, r.current_bytes);
}

template <class Io>
void fields(Io& io, Of<Module> auto& r) {
  io(r.id, r.path, r.build_id);
}

template <class Io>
void fields(Io& io, Of<ModuleMapping> auto& r) {
  io(r.process, r.module);
  io.time(r.time);
  io.address(r.begin);
  io.address(r.end);
  io.address(r.bias);
}

template <class Io>
void fields(Io& io, Of<Frame> auto& r) {
  io(r.module, r.kind, r.offset);
}

template <class Io>
void fields(Io& io, Of<SourceFrame> auto& r) {
  io(r.function, r.file, r.line);
}

template <class Io>
void fields(Io& io, Of<FrameSymbols> auto& r) {
  io(r.frame, r.levels);
}

template <class Io>
void fields(Io& io, Of<ModuleSymbols> auto& r) {
  io(r.module, r.symbol_table, r.debug_info, r.note);
}

template <class Io>
void fields(Io& io, Of<ThreadBegin> auto& r) {
  io(r.process, r.thread, r.tid);
  io.time(r.time);
}

template <class Io>
void fields(Io& io, Of<MappingEvent> auto& r) {
  io(r.process, r.thread);
  io.time(r.time);
  io(r.kind);
  io.address(r.address);
  io(r.length, r.stack, r.protection, r.flags, r.file_backed);
  io(r.old_address, r.old_length);
}

template <class Io>
void fields(Io& io, Of<Mark> auto& r) {
  io(r.process);
  io.time(r.time);
  io(r.kind, r.name, r.value);
}

template <class Io>
void fields(Io& io, Of<BlockNote> auto& r) {
  io(r.process);
  io.time(r.time);
  io(r.kind);
  io.address(r.address);
  io(r.bytes);
}

template <class Io>
void fields(Io& io, Of<Sample> auto& r) {
  io(r.process);
  io.time(r.time);
  io(r.size_bytes, r.rss_bytes, r.shared_bytes, r.own_bytes, r.peak_rss_bytes);
}

template <class Io>
void fields(Io& io, Of<SmapsSnapshot> auto& r) {
  io(r.process);
  io.time(r.time);
  io(r.cause, r.rollup, r.smaps, r.status);
}

template <class Io>
void fields(Io& io, Of<PageRun> auto& r) {
  io.address(r.begin);
  io.address(r.end);
  io(r.bits);
}

template <class Io>
void fields(Io& io, Of<OwnRange> auto& r) {
  io.address(r.begin);
  io.address(r.end);
}

template <class Io>
void fields(Io& io, Of<PageSnapshot> auto& r) {
  io(r.process);
  io.time(r.time);
  io(r.cause, r.phase, r.source, r.consistent, r.pause, r.runs, r.own);
}

template <class Io>
void fields(Io& io, Of<PhaseBoundary> auto& r) {
  io(r.process, r.announced_by);
  io.time(r.time);
  io(r.name, r.peak_rss_bytes, r.peak_exact, r.own_bytes, r.own_growth_bytes);
}

template <class Io>
void fields(Io& io, Of<RunEnd> auto& r) {
  io.time(r.time);
  io(r.complete, r.reason);
}

template <class Io>
void fields(Io& io, Of<RecordingMode> auto& r) {
  io(r.start_on, r.sample_bytes, r.always_bytes);
}

template <class Io>
void fields(Io& io, Of<EarlierBlock> auto& r) {
  io.address(r.address);
  io(r.requested, r.usable, r.time);
}

template <class Io>
void fields(Io& io, Of<CallsBegin> auto& r) {
  io(r.process);
  io.time(r.time);
  io(r.reached, r.seen);
}

template <class Io>
void fields(Io& io, Of<EarlierBlocks> auto& r) {
  io(r.process, r.stack, r.inherited, r.blocks);
}

template <class Io>
void fields(Io& io, Of<CallTotals> auto& r) {
  io(r.process);
  io.time(r.time);
  io(r.calls, r.allocated_bytes, r.frees, r.unmatched_frees, r.live_blocks, r.live_bytes, r.usable_bytes, r.peak_live_bytes,
     r.peak_live_ns, r.peak_uncertain_bytes);
}

template <class Io>
void fields(Io& io, Of<FoldBegin> auto& r) {
  io(r.max_bytes);
}

template <class Io>
void fields(Io& io, Of<FoldEnd> auto& r) {
  io.time(r.time);
  io(r.events, r.folds, r.samples_left_out, r.snapshots_left_out);
}

template <class Io>
void fields(Io& io, Of<FoldedFigures> auto& r) {
  io(r.calls, r.allocated_bytes, r.frees, r.temporary, r.reallocs, r.reallocs_moved, r.realloc_copied_bytes, r.callocs,
     r.calloc_bytes, r.large_mapped_calls, r.large_heap_calls, r.live_blocks, r.live_bytes, r.slack_bytes, r.peak_live_bytes,
     r.live_at_peak_blocks, r.live_at_peak_bytes, r.slack_at_peak_bytes, r.calls_variance, r.allocated_variance,
     r.live_variance, r.live_at_peak_variance);
}

template <class Io>
void fields(Io& io, Of<FoldedStack> auto& r) {
  io(r.stack, r.figures, r.blocks_ended, r.ended_bytes, r.growth_steps, r.last_block_bytes, r.largest_block_bytes);
}

template <class Io>
void fields(Io& io, Of<FoldedCalls> auto& r) {
  io(r.process);
  io.time(r.time);
  io(r.live_blocks, r.live_bytes, r.usable_bytes, r.inherited_live_blocks, r.inherited_live_bytes, r.peak_live_bytes,
     r.peak_live_blocks);
  io.time(r.peak_live_ns);
  io(r.replaced, r.unmatched_frees, r.largest_returned_mapping_bytes, r.lifetime_blocks, r.lifetime_bytes, r.heap_blocks,
     r.heap_misfits, r.heap_granules, r.own, r.stacks);
}

template <class Io>
void fields(Io& io, Of<FoldedLive> auto& r) {
  io(r.process, r.live_blocks, r.live_bytes, r.usable_bytes);
}

template <class Io>
void fields(Io& io, Of<FoldedThread> auto& r) {
  io(r.process, r.thread);
  io.address(r.last_allocated);
  io.address(r.realloc_address);
  io(r.requested, r.usable, r.stack, r.kind);
  io.time(r.time);
  io(r.inherited);
}

}  // namespace memswell::trace
