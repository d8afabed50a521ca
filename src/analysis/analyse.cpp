#include "analysis/analyse.h"

#include <algorithm>
#include <memory>

#include "analysis/findings.h"
#include "analysis/process_analysis.h"
#include "analysis/survey.h"
#include "analysis/tree_peak.h"
#include "trace/recording_reader.h"

namespace memswell::analysis {
namespace {

// The second reading: each event to its process.
class Dispatcher : public trace::Visitor {
 public:
  using trace::Visitor::on;

  Dispatcher(Survey& survey, const Options& options) : survey_(survey) {
    run_.stacks = &survey.stacks();
    run_.info = &survey.info();
    run_.options = &options;
    run_.sampling = Sampling(survey.mode());
  }

  Bytes held_bytes() const override {
    Bytes bytes = survey_.held_bytes();
    for (const auto& process : processes_) bytes += process ? process->held_bytes() : 0;
    return bytes;
  }

  void on(const trace::Module& module) override { survey_.stacks().on(module); }
  void on(const trace::StackNode& node) override { survey_.stacks().on(node); }
  void on(const trace::ProcessBegin& begin) override {
    auto process = std::make_unique<ProcessAnalysis>(begin, run_, survey_.plan(begin.process));
    const ProcessAnalysis* parent = begin.has_parent ? find(begin.parent) : nullptr;
    if (begin.start == trace::ProcessStart::fork && parent != nullptr) process->inherit(*parent);
    if (begin.process.value >= processes_.size()) processes_.resize(begin.process.value + 1);
    processes_[begin.process.value] = std::move(process);
    note_time(begin.time);
  }
  void on(const trace::CaptureNote& event) override { hand_on(event); }
  void on(const trace::ProcessEnd& event) override {
    note_time(event.time);
    hand_on(event);
  }
  void on(const trace::GroupMemory& event) override { hand_on(event); }
  void on(const trace::ThreadBegin& event) override { hand_on(event); }
  void on(const trace::Allocation& event) override {
    if (ProcessAnalysis* process = find(event.process)) in_fold_ ? process->place(event) : process->on(event);
  }
  void on(const trace::Release& event) override {
    if (ProcessAnalysis* process = find(event.process)) in_fold_ ? process->lift(event) : process->on(event);
  }
  void on(const trace::FoldBegin& begin) override {
    in_fold_ = true;
    folded_.emplace().max_bytes = begin.max_bytes;
  }
  void on(const trace::FoldEnd& end) override {
    in_fold_ = false;
    note_time(end.time);
    if (!folded_) folded_.emplace();
    folded_->end_ns = end.time;
    folded_->events = end.events;
    folded_->folds = end.folds;
    folded_->samples_left_out = end.samples_left_out;
    folded_->snapshots_left_out = end.snapshots_left_out;
    for (auto& process : processes_)
      if (process) process->end_fold();
  }
  void on(const trace::FoldedCalls& event) override { hand_on(event); }
  void on(const trace::FoldedLive& event) override { hand_on(event); }
  void on(const trace::FoldedThread& event) override { hand_on(event); }
  void on(const trace::MappingEvent& event) override { hand_on(event); }
  void on(const trace::BlockNote& event) override { hand_on(event); }
  void on(const trace::CallsBegin& event) override { hand_on(event); }
  void on(const trace::EarlierBlocks& event) override { hand_on(event); }
  void on(const trace::CallTotals& event) override { hand_on(event); }
  void on(const trace::Mark& event) override { hand_on(event); }
  void on(const trace::Sample& event) override {
    note_time(event.time);
    hand_on(event);
  }
  void on(const trace::SmapsSnapshot& event) override { hand_on(event); }
  void on(const trace::PageSnapshot& event) override { hand_on(event); }
  void on(const trace::PhaseBoundary& event) override {
    note_time(event.time);
    const ProcessAnalysis* announcer = find(event.announced_by);
    ProcessAnalysis* process = find(event.process);
    if (process != nullptr) process->on(event, announcer != nullptr ? announcer->pid() : process->pid());
  }
  void on(const trace::RunEnd& event) override { note_time(event.time); }

  std::vector<ProcessReport> finish() {
    std::vector<ProcessReport> reports;
    for (auto& process : processes_) {
      if (process) reports.push_back(process->finish(last_time_));
    }
    return reports;
  }
  Nanoseconds last_time() const { return last_time_; }
  const std::optional<FoldedTime>& folded() const { return folded_; }

 private:
  ProcessAnalysis* find(ProcessIndex index) {
    return index.value < processes_.size() ? processes_[index.value].get() : nullptr;
  }
  template <class Event>
  void hand_on(const Event& event) {
    if (ProcessAnalysis* process = find(event.process)) process->on(event);
  }
  void note_time(Nanoseconds time) { last_time_ = std::max(last_time_, time); }

  Survey& survey_;
  RunContext run_;
  std::vector<std::unique_ptr<ProcessAnalysis>> processes_;
  Nanoseconds last_time_ = 0;
  bool in_fold_ = false;
  std::optional<FoldedTime> folded_;
};

void describe(const trace::RunInfo& info, RunReport& report) {
  report.command = info.command;
  report.working_directory = info.working_directory;
  report.started_unix_ns = info.started_unix_ns;
  report.kernel = info.kernel;
  report.machine = info.machine;
  report.libc = info.libc;
  report.page_bytes = info.page_bytes;
  report.cpus = info.cpus;
  report.memory_bytes = info.memory_bytes;
  report.environment = info.environment;
  report.huge_pages = info.huge_pages;
  report.sample_interval_ns = info.sample_interval;
  report.max_depth = info.max_depth;
  report.memswell_version = info.memswell_version;
}

// The first process is one pid through all its images; its end is that of the last of them.
ExitStatus exit_of_first(const std::vector<ProcessReport>& processes) {
  if (processes.empty()) return {};
  ExitStatus exit = processes.front().exit;
  for (const ProcessReport& process : processes) {
    const bool next_image = process.pid == processes.front().pid && process.begin_ns >= processes.front().begin_ns;
    if (next_image) exit = process.exit;
  }
  return exit;
}

}  // namespace

Result<RunReport> analyse(const std::string& path, const Options& options) {
  Survey survey;
  const Result<UniqueFd> file = trace::open_recording(path);
  if (!file) return file.error();
  if (const Result<trace::ReadSummary> read = trace::read_recording(*file, path, survey); !read) return read.error();
  survey.stacks().resolve(options.names, options.plumbing);

  Dispatcher dispatcher(survey, options);
  const Result<trace::ReadSummary> read = trace::read_recording(*file, path, dispatcher);
  if (!read) return read.error();

  RunReport report;
  describe(survey.info(), report);
  report.start_on = survey.mode().start_on;
  report.sample_bytes = survey.mode().sample_bytes;
  report.sample_always_bytes = survey.mode().always_bytes;
  report.processes = dispatcher.finish();
  tell_children(report.processes);
  report.stacks = survey.stacks().take_table();
  report.duration_ns = dispatcher.last_time();
  report.exit = exit_of_first(report.processes);
  report.recording.complete = read->complete;
  report.recording.end_sentence = read->end_sentence;
  report.recording.events = read->events;
  report.recording.folded = dispatcher.folded();
  for (const ProcessReport& process : report.processes) {
    report.recording.lost_events += process.totals.lost_events;
    report.recording.ring_waits += process.totals.ring_waits;
  }
  report.tree_peak = find_tree_peak(report.processes);
  return report;
}

}  // namespace memswell::analysis
