// Writes a recording (docs/recording-format.md): chunks of zstd-compressed columns, each with length and checksum, so
// that every prefix of the file loads. Owned by the recorder; one thread. Events of all processes go in in stream
// order. Nothing is ever rewritten; flush() bounds what a crash of the recorder loses.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "base/result.h"
#include "base/unique_fd.h"
#include "trace/events.h"
#include "trace/fold_events.h"

namespace memswell::trace {

// A place in the file from which on it can be read without what stands before.
struct Border {
  std::uint64_t offset = 0;
  std::uint64_t sequence = 0;  // of the chunk that begins there
};

class RecordingWriter {
 public:
  // `file`: open for writing, empty. Takes it over. `resume_sequence`: what is written stands for all before that chunk of
  // another recording, whose rest the caller will append.
  explicit RecordingWriter(UniqueFd file, std::uint64_t resume_sequence = 0);
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
  void write(const FoldBegin&);
  void write(const FoldEnd&);
  void write(const FoldedCalls&);
  void write(const FoldedLive&);
  void write(const FoldedThread&);

  // Hands everything written so far to the kernel.
  void flush();

  // Flushes and makes a border here. Costs what the model had learned: some kilobytes until it knows the program again.
  Border begin_anew();

  // Goes on in another file of so many bytes, which holds what this one held, or stands for it. Returns the old one.
  UniqueFd replace_file(UniqueFd file, std::uint64_t bytes);
  // Asked when the disk is full: true if it made room, then the write is tried again.
  void on_full(std::function<bool()> make_room);
  int file() const;

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
