#include "trace/recording_writer.h"

#include <utility>

#include "trace/chunk_writer.h"
#include "trace/stream_encoder.h"

namespace memswell::trace {
namespace {

// What is left of a record that is larger than a record may be (tens of thousands of mappings, millions of page runs).
SmapsSnapshot reduced(SmapsSnapshot snapshot) {
  snapshot.smaps.clear();
  return snapshot;
}
PageSnapshot reduced(PageSnapshot snapshot) {
  snapshot.source = PageSource::none;
  snapshot.runs.clear();
  return snapshot;
}

}  // namespace

struct RecordingWriter::State {
  State(UniqueFd file, std::uint64_t resume_sequence) : chunks(std::move(file), resume_sequence) {}

  template <class Event>
  void put_event(const Event& event) {
    encoder.put(event);
    if (encoder.full()) close_chunk();
  }

  template <class Record>
  bool put_record(const Record& record) {
    if (!encoder.begin(record)) return false;
    for (bool more = true; more;) {
      more = encoder.put_piece();
      if (encoder.full()) close_chunk();
    }
    return true;
  }

  void close_chunk() {
    std::array<RawColumn, disk::kColumns> columns;
    for (std::size_t i = 0; i < disk::kColumns; ++i) columns[i] = encoder.column(static_cast<disk::Column>(i));
    chunks.write(columns, std::exchange(model, ChunkWriter::Model::goes_on));
    encoder.clear();
  }

  StreamEncoder encoder;
  ChunkWriter chunks;
  ChunkWriter::Model model = ChunkWriter::Model::goes_on;
};

RecordingWriter::RecordingWriter(UniqueFd file, std::uint64_t resume_sequence)
    : state_(std::make_unique<State>(std::move(file), resume_sequence)) {}
RecordingWriter::~RecordingWriter() { flush(); }

void RecordingWriter::write(const Allocation& event) { state_->put_event(event); }
void RecordingWriter::write(const Release& event) { state_->put_event(event); }
void RecordingWriter::write(const StackNode& node) { state_->put_event(node); }

void RecordingWriter::write(const RunInfo& record) { state_->put_record(record); }
void RecordingWriter::write(const ProcessBegin& record) { state_->put_record(record); }
void RecordingWriter::write(const CaptureNote& record) { state_->put_record(record); }
void RecordingWriter::write(const ProcessEnd& record) { state_->put_record(record); }
void RecordingWriter::write(const Module& record) { state_->put_record(record); }
void RecordingWriter::write(const ModuleMapping& record) { state_->put_record(record); }
void RecordingWriter::write(const FrameSymbols& record) { state_->put_record(record); }
void RecordingWriter::write(const ModuleSymbols& record) { state_->put_record(record); }
void RecordingWriter::write(const ThreadBegin& record) { state_->put_record(record); }
void RecordingWriter::write(const MappingEvent& record) { state_->put_record(record); }
void RecordingWriter::write(const Mark& record) { state_->put_record(record); }
void RecordingWriter::write(const BlockNote& record) { state_->put_record(record); }
void RecordingWriter::write(const Sample& record) { state_->put_record(record); }
void RecordingWriter::write(const SmapsSnapshot& record) {
  if (!state_->put_record(record)) state_->put_record(reduced(record));
}
void RecordingWriter::write(const PageSnapshot& record) {
  if (!state_->put_record(record)) state_->put_record(reduced(record));
}
void RecordingWriter::write(const PhaseBoundary& record) { state_->put_record(record); }
void RecordingWriter::write(const RunEnd& record) { state_->put_record(record); }
void RecordingWriter::write(const RecordingMode& record) { state_->put_record(record); }
void RecordingWriter::write(const CallsBegin& record) { state_->put_record(record); }
void RecordingWriter::write(const EarlierBlocks& record) { state_->put_record(record); }
void RecordingWriter::write(const CallTotals& record) { state_->put_record(record); }
void RecordingWriter::write(const GroupMemory& record) { state_->put_record(record); }
void RecordingWriter::write(const FoldBegin& record) { state_->put_record(record); }
void RecordingWriter::write(const FoldEnd& record) { state_->put_record(record); }
void RecordingWriter::write(const FoldedCalls& record) { state_->put_record(record); }
void RecordingWriter::write(const FoldedLive& record) { state_->put_record(record); }
void RecordingWriter::write(const FoldedThread& record) { state_->put_record(record); }

void RecordingWriter::flush() {
  if (!state_->encoder.empty()) state_->close_chunk();
}

Border RecordingWriter::begin_anew() {
  flush();
  state_->encoder.begin_anew();
  state_->model = ChunkWriter::Model::begins_anew;
  return {state_->chunks.bytes_written(), state_->chunks.sequence()};
}

UniqueFd RecordingWriter::replace_file(UniqueFd file, std::uint64_t bytes) {
  return state_->chunks.replace_file(std::move(file), bytes);
}
void RecordingWriter::on_full(std::function<bool()> make_room) { state_->chunks.on_full(std::move(make_room)); }
int RecordingWriter::file() const { return state_->chunks.file(); }

std::uint32_t RecordingWriter::pending() const { return state_->encoder.operations(); }

const Error* RecordingWriter::failure() const { return state_->chunks.failure(); }
std::uint64_t RecordingWriter::bytes_written() const { return state_->chunks.bytes_written(); }

}  // namespace memswell::trace
