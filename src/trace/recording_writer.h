// Writes a recording (docs/recording-format.md): chunks of zstd-compressed columns, each with length and checksum, so
// that every prefix of the file loads. Owned by the recorder; one thread. Events of all processes go in in stream
// order. Nothing is ever rewritten; flush() bounds what a crash of the recorder loses.
#pragma once

#include <memory>
#include <string>

#include "base/result.h"
#include "base/unique_fd.h"
#include "trace/events.h"

namespace memswell::trace {

class RecordingWriter {
 public:
  // `file`: open for writing, empty. Takes it over.
  explicit RecordingWriter(UniqueFd file);
  ~RecordingWriter();

  void write(const RunInfo&);
  void write(const ProcessBegin&);
  void write(const CaptureNote&);
  void write(const ProcessEnd&);
  void write(const Module&);
  void write(const ModuleMapping&);
  void write(const StackNode&);
  void write(const FrameSymbols&);
  void write(const ModuleSymbols&);
  void write(const ThreadBegin&);
  void write(const Allocation&);
  void write(const Release&);
  void write(const MappingEvent&);
  void write(const Mark&);
  void write(const BlockNote&);
  void write(const Sample&);
  void write(const SmapsSnapshot&);
  void write(const PageSnapshot&);
  void write(const PhaseBoundary&);
  void write(const RunEnd&);
  void write(const RecordingMode&);
  void write(const CallsBegin&);
  void write(const EarlierBlocks&);
  void write(const CallTotals&);
  void write(const GroupMemory&);

  // Hands everything written so far to the kernel.
  void flush();

  // Operations that a crash would lose now: those since the last chunk.
  std::uint32_t pending() const;

  // The first write that failed (disk full, …). From then on everything is dropped; what is in the file stays readable.
  const Error* failure() const;
  std::uint64_t bytes_written() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace memswell::trace
