// Keeps what a recording says, and a recording file that goes with the test.
#pragma once

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <memory>
#include <string>
#include <vector>

#include "base/unique_fd.h"
#include "trace/recording_reader.h"
#include "trace/recording_writer.h"

namespace memswell::capture::test {

struct CollectingVisitor : trace::Visitor {
  std::vector<trace::ProcessBegin> begins;
  std::vector<trace::ProcessEnd> ends;
  std::vector<trace::CaptureNote> notes;
  std::vector<trace::Module> modules;
  std::vector<trace::ModuleMapping> mappings;
  std::vector<trace::StackNode> nodes;
  std::vector<trace::ThreadBegin> threads;
  std::vector<trace::Allocation> allocations;
  std::vector<trace::Release> releases;
  std::vector<trace::Mark> marks;
  std::vector<trace::BlockNote> block_notes;
  std::vector<trace::CallsBegin> calls_begin;
  std::vector<trace::EarlierBlocks> earlier;
  std::vector<trace::CallTotals> call_totals;

  using trace::Visitor::on;
  void on(const trace::ProcessBegin& event) override { begins.push_back(event); }
  void on(const trace::ProcessEnd& event) override { ends.push_back(event); }
  void on(const trace::CaptureNote& event) override { notes.push_back(event); }
  void on(const trace::Module& event) override { modules.push_back(event); }
  void on(const trace::ModuleMapping& event) override { mappings.push_back(event); }
  void on(const trace::StackNode& event) override { nodes.push_back(event); }
  void on(const trace::ThreadBegin& event) override { threads.push_back(event); }
  void on(const trace::Allocation& event) override { allocations.push_back(event); }
  void on(const trace::Release& event) override { releases.push_back(event); }
  void on(const trace::Mark& event) override { marks.push_back(event); }
  void on(const trace::BlockNote& event) override { block_notes.push_back(event); }
  void on(const trace::CallsBegin& event) override { calls_begin.push_back(event); }
  void on(const trace::EarlierBlocks& event) override { earlier.push_back(event); }
  void on(const trace::CallTotals& event) override { call_totals.push_back(event); }
};

class TemporaryRecording {
 public:
  TemporaryRecording() : path_(::testing::TempDir() + "memswell-capture-" + std::to_string(getpid()) + ".swell") {
    writer = std::make_unique<trace::RecordingWriter>(
        UniqueFd(open(path_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600)));
  }
  ~TemporaryRecording() { unlink(path_.c_str()); }

  CollectingVisitor read() {
    writer->flush();
    CollectingVisitor visitor;
    EXPECT_TRUE(trace::read_recording(path_, visitor));
    return visitor;
  }

  std::unique_ptr<trace::RecordingWriter> writer;

 private:
  std::string path_;
};

}  // namespace memswell::capture::test
