#include "analysis/analyse.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <string>

#include "tests/unit/analysis/memory_by_hand.h"
#include "trace/recording_writer.h"

namespace memswell::analysis {
namespace {

// A recording written by hand, event by event, and what the analysis makes of it.
class AnalyseTest : public ::testing::Test {
 protected:
  AnalyseTest() : path_(testing::TempDir() + "analyse_test." + std::to_string(::getpid()) + ".swell") {
    writer_.emplace(UniqueFd(::open(path_.c_str(), O_CREAT | O_TRUNC | O_RDWR | O_CLOEXEC, 0600)));
    trace::RunInfo info;
    info.command = {"prog", "x"};
    info.libc = "glibc 2.36";
    writer_->write(info);
  }
  ~AnalyseTest() override { ::unlink(path_.c_str()); }

  void begin(std::uint32_t index, std::uint32_t pid, Nanoseconds time) {
    trace::ProcessBegin event;
    event.process = ProcessIndex{index};
    event.pid = pid;
    event.time = time;
    event.executable = "/bin/prog";
    writer_->write(event);
    thread(index);
  }
  void thread(std::uint32_t process) {
    trace::ThreadBegin event;
    event.process = ProcessIndex{process};
    event.thread = ThreadIndex{threads_++};
    writer_->write(event);
  }
  void fork(std::uint32_t index, std::uint32_t pid, Nanoseconds time) {
    trace::ProcessBegin event;
    event.process = ProcessIndex{index};
    event.pid = pid;
    event.time = time;
    event.start = trace::ProcessStart::fork;
    event.has_parent = true;
    event.parent = ProcessIndex{0};
    writer_->write(event);
    thread(index);
  }
  void stack(std::uint32_t id, const std::string& function) {
    const trace::Frame frame{ModuleId{1}, trace::FrameKind::call, 0x100 * id};
    writer_->write(trace::StackNode{StackId{id}, StackId{0}, frame});
    symbols_.push_back({frame, {{function, "prog.c", id}}});
  }
  void allocate(std::uint32_t process, Address address, Bytes size, std::uint32_t stack, Nanoseconds time) {
    trace::Allocation event = test::allocation(address, size, stack, time);
    event.process = ProcessIndex{process};
    event.thread = ThreadIndex{process};  // each process has one thread here
    writer_->write(event);
  }
  void release(std::uint32_t process, Address address, Nanoseconds time) {
    trace::Release event = test::release(address, trace::Release::Kind::free, time);
    event.process = ProcessIndex{process};
    event.thread = ThreadIndex{process};
    writer_->write(event);
  }
  void end(std::uint32_t index, Nanoseconds time) {
    trace::ProcessEnd event;
    event.process = ProcessIndex{index};
    event.time = time;
    event.reason = trace::EndReason::exited;
    event.code = 0;
    writer_->write(event);
  }
  RunReport report() {
    for (const trace::FrameSymbols& symbols : symbols_) writer_->write(symbols);
    writer_->write(trace::RunEnd{1000, true, ""});
    writer_->flush();
    writer_.reset();
    Result<RunReport> made = analyse(path_, {});
    EXPECT_TRUE(made);
    return made ? std::move(*made) : RunReport{};
  }

  std::string path_;
  std::optional<trace::RecordingWriter> writer_;
  std::vector<trace::FrameSymbols> symbols_;
  std::uint32_t threads_ = 0;
};

TEST_F(AnalyseTest, ARecordingBecomesAReport) {
  writer_->write(trace::Module{ModuleId{1}, "/bin/prog", {}});
  begin(0, 77, 0);
  stack(1, "load");
  stack(2, "save");
  allocate(0, 0x10010, 100, 1, 10);
  allocate(0, 0x20010, 50, 2, 20);
  release(0, 0x10010, 30);
  end(0, 900);
  const RunReport run = report();
  EXPECT_EQ(run.command, (std::vector<std::string>{"prog", "x"}));
  EXPECT_TRUE(run.recording.complete);
  EXPECT_EQ(run.recording.events, 3u);
  EXPECT_EQ(run.exit.code, 0);
  ASSERT_EQ(run.processes.size(), 1u);
  const ProcessReport& process = run.processes[0];
  EXPECT_EQ(process.pid, 77u);
  EXPECT_EQ(process.totals.figures.calls, 2u);
  EXPECT_EQ(process.totals.peak_live_bytes, 150u);
  EXPECT_EQ(process.totals.live_bytes_at_exit, 50u);
  ASSERT_EQ(process.sites.size(), 2u);
  EXPECT_EQ(process.sites[0].function, "load");
  EXPECT_EQ(process.sites[0].figures.live_at_peak_bytes, 100u);
  EXPECT_EQ(process.sites[1].figures.live_blocks, 1u);
  EXPECT_EQ(process.phases.at(0).name, "start");
  EXPECT_EQ(process.phases[0].end_ns, 900u);
}

// What is memswell's own is told by page snapshots only; it was there before the first of them.
TEST_F(AnalyseTest, OwnMemoryIsLeftOutOfReadingsBeforeTheFirstSnapshot) {
  const std::string smaps =
      "20000000-20003000 rw-p 00000000 00:00 0 \n"
      "Size: 12 kB\nRss: 12 kB\nPss: 12 kB\nPrivate_Dirty: 12 kB\nAnonymous: 12 kB\nVmFlags: rd wr \n"
      "30000000-30002000 rw-p 00000000 00:00 0 \n"
      "Size: 8 kB\nRss: 8 kB\nPss: 8 kB\nPrivate_Dirty: 8 kB\nAnonymous: 8 kB\nVmFlags: rd wr \n";
  begin(0, 77, 0);
  for (const Nanoseconds time : {100u, 200u}) {
    if (time == 200u) {
      trace::PageSnapshot pages;
      pages.time = time;
      pages.own = {{0x30000000, 0x30002000}};
      writer_->write(pages);
    }
    trace::SmapsSnapshot reading;
    reading.time = time;
    reading.smaps = smaps;
    writer_->write(reading);
  }
  end(0, 900);
  const RunReport run = report();
  ASSERT_EQ(run.processes.size(), 1u);
  const auto& rows = run.processes[0].timeline;
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_EQ(rows[0].rss_bytes, Bytes{12} * 1024);
  EXPECT_EQ(rows[0].own_bytes, Bytes{8} * 1024);
  EXPECT_EQ(rows[1].rss_bytes, Bytes{12} * 1024);
}

TEST_F(AnalyseTest, AForkedChildIsAProcessOfItsOwn) {
  writer_->write(trace::Module{ModuleId{1}, "/bin/prog", {}});
  begin(0, 77, 0);
  stack(1, "load");
  allocate(0, 0x10010, 100, 1, 10);
  fork(1, 78, 20);
  release(1, 0x10010, 30);
  allocate(1, 0x10010, 7, 1, 40);
  end(1, 50);
  end(0, 900);
  const RunReport run = report();
  ASSERT_EQ(run.processes.size(), 2u);
  EXPECT_EQ(run.processes[0].totals.live_bytes_at_exit, 100u);
  EXPECT_EQ(run.processes[1].totals.figures.calls, 1u);
  EXPECT_EQ(run.processes[1].totals.live_bytes_at_exit, 7u);
  EXPECT_EQ(run.processes[1].totals.inherited_blocks, 1u);
  EXPECT_EQ(run.processes[1].totals.inherited_live_at_exit, 0u);
}

TEST_F(AnalyseTest, AnUnreadableRecordingIsAnError) {
  const auto made = analyse("/nonexistent.swell", {});
  ASSERT_FALSE(made);
  EXPECT_EQ(made.error().exit_code, ExitCode::unreadable_recording);
}

TEST_F(AnalyseTest, ARecordingThatStopsEarlyGivesWhatHappenedUpToThere) {
  begin(0, 77, 0);
  allocate(0, 0x10010, 100, 0, 10);
  writer_->flush();
  const auto made = analyse(path_, {});
  ASSERT_TRUE(made);
  EXPECT_FALSE(made->recording.complete);
  EXPECT_EQ(made->processes.at(0).exit.reason, trace::EndReason::running);
  EXPECT_EQ(made->processes[0].totals.live_bytes_at_exit, 100u);
}

}  // namespace
}  // namespace memswell::analysis
