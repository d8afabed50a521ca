// Events with nasty values, of every kind, and a synthetic program; each can be told to a writer or to a visitor.
#pragma once

#include <cstdint>
#include <functional>
#include <variant>
#include <vector>

#include "trace/events.h"
#include "trace/fold_events.h"

namespace memswell::trace {

using AnyEvent = std::variant<RunInfo, ProcessBegin, CaptureNote, ProcessEnd, Module, ModuleMapping, StackNode,
                              FrameSymbols, ModuleSymbols, ThreadBegin, Allocation, Release, MappingEvent, Mark,
                              BlockNote, Sample, SmapsSnapshot, PageSnapshot, PhaseBoundary, RunEnd,
                              RecordingMode, CallsBegin, EarlierBlocks, CallTotals, GroupMemory, FoldBegin, FoldEnd, FoldedCalls,
                              FoldedLive, FoldedThread>;

// Process `index`, begun at time 0.
ProcessBegin process(std::uint32_t index);

// Zeros, maxima, empty and non-UTF-8 texts, in every kind of event; ends with RunEnd.
std::vector<AnyEvent> nasty_events();

// A program of several processes and threads with a heap like glibc's: `count` allocations and releases, from a seed.
std::vector<AnyEvent> synthetic_program(std::uint64_t seed, std::size_t count);

}  // namespace memswell::trace
