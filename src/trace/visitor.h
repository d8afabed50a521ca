// The reader's other half: one method an event. Override what you need; the rest is skipped.
#pragma once

#include "trace/events.h"
#include "trace/fold_events.h"

namespace memswell::trace {

class Visitor {
 public:
  virtual ~Visitor() = default;

  // About how much memory it holds because of what it was given; the reader asks after each chunk.
  virtual Bytes held_bytes() const { return 0; }

  virtual void on(const RunInfo&) {}
  virtual void on(const ProcessBegin&) {}
  virtual void on(const CaptureNote&) {}
  virtual void on(const ProcessEnd&) {}
  virtual void on(const Module&) {}
  virtual void on(const ModuleMapping&) {}
  virtual void on(const StackNode&) {}
  virtual void on(const FrameSymbols&) {}
  virtual void on(const ModuleSymbols&) {}
  virtual void on(const ThreadBegin&) {}
  virtual void on(const Allocation&) {}
  virtual void on(const Release&) {}
  virtual void on(const MappingEvent&) {}
  virtual void on(const Mark&) {}
  virtual void on(const BlockNote&) {}
  virtual void on(const Sample&) {}
  virtual void on(const SmapsSnapshot&) {}
  virtual void on(const PageSnapshot&) {}
  virtual void on(const PhaseBoundary&) {}
  virtual void on(const RunEnd&) {}
  virtual void on(const RecordingMode&) {}
  virtual void on(const CallsBegin&) {}
  virtual void on(const EarlierBlocks&) {}
  virtual void on(const CallTotals&) {}
  virtual void on(const GroupMemory&) {}
  virtual void on(const FoldBegin&) {}
  virtual void on(const FoldEnd&) {}
  virtual void on(const FoldedCalls&) {}
  virtual void on(const FoldedLive&) {}
  virtual void on(const FoldedThread&) {}
};

}  // namespace memswell::trace
