#include "analysis/fold.h"

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "analysis/folded_process.h"
#include "analysis/model.h"
#include "trace/recording_reader.h"

namespace memswell::analysis {
namespace {

// A slot's samples and readings are about three thousand bytes: an eighth of the bound together.
Nanoseconds slot_of(const FoldTask& task) {
  constexpr Bytes kSlotBytes = 3 << 13;
  return std::max<Nanoseconds>(1, task.time / std::clamp<Bytes>(task.max_bytes / kSlotBytes, 64, 4096));
}

class Folder final : public trace::Visitor {
 public:
  using trace::Visitor::on;

  Folder(const FoldTask& task, trace::RecordingWriter& out)
      : out_(out), begin_{task.max_bytes}, stretch_(std::max<Nanoseconds>(1, task.time / kFoldedStretches)), slot_(slot_of(task)) {}

  void on(const trace::RunInfo& event) override { out_.write(event); }
  void on(const trace::RecordingMode& event) override {
    sampling_ = Sampling(event);
    out_.write(event);
  }
  void on(const trace::FoldBegin&) override { in_fold_ = true; }
  void on(const trace::FoldEnd& end) override;
  void on(const trace::ProcessBegin& event) override;
  void on(const trace::ProcessEnd& event) override;
  void on(const trace::CaptureNote& event) override { pass(event); }
  void on(const trace::GroupMemory& event) override { pass(event); }
  void on(const trace::Module& event) override { pass(event); }
  void on(const trace::ModuleMapping& event) override { pass(event); }
  void on(const trace::StackNode& event) override { pass(event); }
  void on(const trace::FrameSymbols& event) override { pass(event); }
  void on(const trace::ModuleSymbols& event) override { pass(event); }
  void on(const trace::ThreadBegin& event) override { pass(event); }
  void on(const trace::MappingEvent& event) override { pass(event); }

  void on(const trace::Allocation& event) override {
    note_event(event.time);
    if (FoldedProcess* process = find(event.process)) in_fold_ ? process->place(event) : process->on(event);
  }
  void on(const trace::Release& event) override {
    note_event(event.time);
    if (FoldedProcess* process = find(event.process)) in_fold_ ? process->lift(event) : process->on(event);
  }
  void on(const trace::BlockNote& event) override { hand_on(event); }
  void on(const trace::EarlierBlocks& event) override { hand_on(event); }
  void on(const trace::FoldedCalls& event) override { hand_on(event); }
  void on(const trace::FoldedLive& event) override { hand_on(event); }
  void on(const trace::FoldedThread& event) override { hand_on(event); }
  void on(const trace::CallsBegin& event) override;
  void on(const trace::CallTotals& event) override { hand_on(event); }

  void on(const trace::Mark& event) override;
  void on(const trace::Sample& event) override;
  void on(const trace::SmapsSnapshot& event) override;
  void on(const trace::PageSnapshot& event) override;
  void on(const trace::PhaseBoundary& event) override;

  void finish();

 private:
  FoldedProcess* find(ProcessIndex index) {
    return index.value < processes_.size() ? processes_[index.value].get() : nullptr;
  }
  void note_event(Nanoseconds time) {
    events_ += in_fold_ ? 0u : 1u;
    note_time(time);
  }
  void note_left_out(const FoldedProcess& process);
  void note_time(Nanoseconds time) { time_ = std::max(time_, time); }
  void begin() {
    if (!std::exchange(begun_, true)) out_.write(begin_);
  }
  template <class Event>
  void pass(const Event& event) {
    begin();
    out_.write(event);
  }
  template <class Event>
  void hand_on(const Event& event) {
    if (FoldedProcess* process = find(event.process)) process->on(event);
  }

  trace::RecordingWriter& out_;
  trace::FoldBegin begin_;
  Nanoseconds stretch_;
  Nanoseconds slot_;
  Sampling sampling_;
  std::vector<std::unique_ptr<FoldedProcess>> processes_;
  trace::FoldEnd end_;  // of the parts folded before
  std::uint64_t events_ = 0;
  Nanoseconds time_ = 0;
  bool begun_ = false;
  bool in_fold_ = false;
};

void Folder::on(const trace::FoldEnd& end) {
  in_fold_ = false;
  end_.events = end.events;
  end_.folds = end.folds;
  end_.samples_left_out += end.samples_left_out;
  end_.snapshots_left_out += end.snapshots_left_out;
  note_time(end.time);
  for (auto& process : processes_)
    if (process) process->end_fold();
}

void Folder::on(const trace::ProcessBegin& event) {
  note_time(event.time);
  FoldedProcess* parent = event.has_parent && event.start == trace::ProcessStart::fork ? find(event.parent) : nullptr;
  if (parent != nullptr) {
    parent->end_stretch(event.time);
    parent->write_blocks();
  }
  pass(event);
  processes_.resize(std::max<std::size_t>(processes_.size(), event.process.value + 1));
  processes_[event.process.value] = parent != nullptr ? std::make_unique<FoldedProcess>(event, *parent)
                                                      : std::make_unique<FoldedProcess>(event, sampling_, slot_, out_);
}

void Folder::on(const trace::ProcessEnd& event) {
  note_time(event.time);
  if (FoldedProcess* process = find(event.process)) {
    process->end_stretch(event.time);
    note_left_out(*process);
  }
  pass(event);
  if (find(event.process) != nullptr) processes_[event.process.value].reset();
}

void Folder::on(const trace::CallsBegin& event) {
  if (FoldedProcess* process = find(event.process)) process->end_stretch(event.time);
  pass(event);
  hand_on(event);
}

void Folder::note_left_out(const FoldedProcess& process) {
  end_.samples_left_out += process.footprint().samples_left_out();
  end_.snapshots_left_out += process.footprint().readings_left_out();
}

void Folder::on(const trace::Mark& event) {
  FoldedProcess* process = find(event.process);
  if (process != nullptr && event.kind == trace::Mark::Kind::value) process->write_footprint();
  pass(event);
}

void Folder::on(const trace::Sample& event) {
  note_time(event.time);
  FoldedProcess* process = find(event.process);
  if (process == nullptr) return;
  if (event.time >= process->stretch_begin() + stretch_) process->end_stretch(event.time);
  process->on(event);
}

void Folder::on(const trace::SmapsSnapshot& event) {
  note_time(event.time);
  FoldedProcess* process = find(event.process);
  if (process == nullptr) return;
  if (event.cause == trace::SnapshotCause::periodic) return process->on(event);
  process->write_footprint();
  pass(event);
}

void Folder::on(const trace::PageSnapshot& event) {
  if (FoldedProcess* process = find(event.process)) {
    process->end_stretch(event.time);
    process->write_blocks();
  }
  pass(event);
}

void Folder::on(const trace::PhaseBoundary& event) {
  note_time(event.time);
  if (FoldedProcess* process = find(event.process)) process->end_stretch(event.time);
  pass(event);
}

void Folder::finish() {
  begin();
  for (const auto& process : processes_) {
    if (!process) continue;
    process->end_stretch(time_);
    process->write_blocks();
    process->write_threads();
    note_left_out(*process);
  }
  end_.time = time_;
  end_.events += events_;
  ++end_.folds;
  out_.write(end_);
}

}  // namespace

Result<void> fold(FoldTask task) {
  trace::RecordingWriter out(std::move(task.to), task.border.sequence);
  Folder folder(task, out);
  const auto read = trace::read_recording(task.from, task.path, folder, task.border.offset);
  if (!read) return read.error();
  if (read->bytes_read != task.border.offset) return Error{"the recording could not be folded: " + read->end_sentence};
  folder.finish();
  out.flush();
  if (out.failure() != nullptr) return *out.failure();
  return {};
}

}  // namespace memswell::analysis
