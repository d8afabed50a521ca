// The soak program beside its recording, undisturbed and with faults; then killed, and its recorder killed, at random
// moments. MEMSWELL_SOAK_SECONDS and MEMSWELL_SOAK_KILLS make it longer.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>

#include <cstdlib>
#include <random>
#include <thread>

#include "tests/soak/soak_run.h"

namespace memswell::tests {
namespace {

using ::testing::IsEmpty;

constexpr int kProgramsStatus = 47;
constexpr std::chrono::seconds kEndsWithin{4};  // a program of less than a second that nobody holds up

double setting(const char* name, double otherwise) {
  const char* text = std::getenv(name);
  return text != nullptr ? std::atof(text) : otherwise;
}

double seconds() { return setting("MEMSWELL_SOAK_SECONDS", 1.5); }
int kills() { return static_cast<int>(setting("MEMSWELL_SOAK_KILLS", 3)); }

void tell(const char* what, const SoakRun& soak, const nlohmann::json& report) {
  const truth_file& truth = soak.truth();
  fmt::print("{}: {} calls, {} recorded, lost {}; {} images, {} threads, {} forks, {} execs, {} loads, {} signals\n", what,
             calls_done(truth), calls_recorded(report), report.at("recording").value("lost_events", 0ULL), images(truth),
             truth.threads, truth.forks, truth.execs, truth.loads, truth.signals);
}

void expect_ended_as_it_wanted(int status) {
  ASSERT_TRUE(WIFEXITED(status)) << status;
  EXPECT_EQ(WEXITSTATUS(status), kProgramsStatus);
}

void expect_exact(const char* what, SoakRun& soak, const std::function<void()>& meanwhile = {}) {
  expect_ended_as_it_wanted(soak.wait(meanwhile));
  const auto report = soak.report(true);
  tell(what, soak, report);
  EXPECT_EQ(report.at("recording").at("lost_events"), 0);
  EXPECT_THAT(differences(report, soak.truth(), Agreement::exact), IsEmpty());
}

TEST(Soak, AgreesToTheByte) {
  SoakRun soak({}, seconds(), 1);
  expect_exact("undisturbed", soak);
}

// What is missing is counted, image by image.
void expect_counted_losses(const char* what, SoakRun& soak, const std::function<void()>& meanwhile = {}) {
  expect_ended_as_it_wanted(soak.wait(meanwhile));
  const auto report = soak.report(true);
  tell(what, soak, report);
  fmt::print("  {} of {} images lost nothing\n", images_without_loss(report), report.at("processes").size());
  EXPECT_GT(report.at("recording").at("lost_events"), 0);
  EXPECT_THAT(differences(report, soak.truth(), Agreement::counted), IsEmpty());
  EXPECT_LE(calls_done(soak.truth()) - calls_recorded(report), report.at("recording").at("lost_events"));
}

void expect_exact_with_waits(const char* what, SoakRun& soak) {
  expect_exact(what, soak);
  EXPECT_GT(soak.report(true).at("recording").at("ring_waits"), 0);
}

TEST(Soak, AgreesWithSmallRings) {
  SoakRun soak({"--ring-memory", "1MiB"}, seconds(), 2);
  expect_exact_with_waits("rings full", soak);
}

// Less than one ring for each thread: they get the smallest, and wait.
TEST(Soak, AgreesThoughThereIsNoMemoryForRings) {
  SoakRun soak({"--ring-memory", "256KiB"}, seconds(), 6);
  expect_exact_with_waits("no ring memory", soak);
}

TEST(Soak, AgreesThoughTheRecorderIsStoppedAgainAndAgain) {
  SoakRun soak({"--ring-memory", "512KiB"}, seconds(), 3);
  ASSERT_GT(soak.recorder(), 0);
  int stops = 0;
  expect_exact("recorder slow", soak, [&] {
    ::kill(soak.recorder(), SIGSTOP);
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    ::kill(soak.recorder(), SIGCONT);
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    ++stops;
  });
  fmt::print("  {} stops\n", stops);
  EXPECT_GT(stops, 3);
}

// Threads that find no memory for a ring of their own, and rings that are full.
TEST(Soak, CountsWhatItDrops) {
  SoakRun soak({"--ring-memory", "256KiB", "--on-full", "drop"}, seconds(), 4);
  expect_counted_losses("drop", soak);
}

// For longer than the rings hold.
TEST(Soak, CountsWhatItDropsWhileTheRecorderIsStopped) {
  SoakRun soak({"--ring-memory", "4MiB", "--on-full", "drop"}, seconds(), 7);
  ASSERT_GT(soak.recorder(), 0);
  int stops = 0;
  expect_counted_losses("drop, recorder stopped", soak, [&] {
    ::kill(soak.recorder(), SIGSTOP);
    std::this_thread::sleep_for(std::chrono::milliseconds(300));
    ::kill(soak.recorder(), SIGCONT);
    std::this_thread::sleep_for(std::chrono::milliseconds(200));
    ++stops;
  });
  fmt::print("  {} stops\n", stops);
  EXPECT_GT(stops, 1);
}

// RLIMIT_FSIZE: a write beyond it fails, with a signal that kills who does not ignore it.
TEST(Soak, GoesOnWhenTheRecordingMayGrowNoMore) {
  SoakRun soak({}, seconds(), 5, {.file_size = 60'000, .file_system = 0});
  expect_ended_as_it_wanted(soak.wait());
  const auto report = soak.report(false);
  tell("no space", soak, report);
  EXPECT_EQ(report.at("recording").at("complete"), false);
  EXPECT_THAT(differences(report, soak.truth(), Agreement::no_more), IsEmpty());
}

// ENOSPC.
TEST(Soak, GoesOnWhenTheFileSystemIsFull) {
  SoakRun soak({}, seconds(), 8, {.file_size = 0, .file_system = 256 << 10});
  if (!soak.has_its_room()) {
    soak.wait();
    GTEST_SKIP() << "no right to mount a small file system";
  }
  expect_ended_as_it_wanted(soak.wait());
  const auto report = soak.report(false);
  tell("file system full", soak, report);
  EXPECT_EQ(report.at("recording").at("complete"), false);
  EXPECT_GT(calls_recorded(report), 0u);
  EXPECT_THAT(differences(report, soak.truth(), Agreement::no_more), IsEmpty());
}

class Killed : public ::testing::Test {
 protected:
  // Somewhere in the run, its first milliseconds included.
  void wait_a_while(SoakRun& soak) {
    const auto moment = std::chrono::microseconds(random_() % 1'000'000);
    const auto early = std::min<std::chrono::microseconds>(moment, kFlushedAfter);
    std::this_thread::sleep_for(moment - early);
    done_early_ = calls_done(soak.truth());
    std::this_thread::sleep_for(early);
    done_at_kill_ = calls_done(soak.truth());
  }
  unsigned seed() { return static_cast<unsigned>(random_()); }

  // What the recorder had seen half a second before it was killed can be read.
  void expect_flushed(const nlohmann::json& report) {
    const std::uint64_t recorded = calls_recorded(report);
    EXPECT_GE(recorded, done_early_);
    const std::uint64_t lost = done_at_kill_ - std::min(done_at_kill_, recorded);
    fmt::print("  at the kill {} calls, {} of them not in the recording; half a second before {}\n", done_at_kill_, lost, done_early_);
  }

 private:
  static constexpr std::chrono::milliseconds kFlushedAfter{500};
  std::uint64_t done_early_ = 0;
  std::uint64_t done_at_kill_ = 0;
  std::mt19937 random_{static_cast<unsigned>(setting("MEMSWELL_SOAK_SEED", 20261130))};
};

TEST_F(Killed, ProgramLosesNothingBeforeTheKill) {
  for (int round = 0; round < kills(); ++round) {
    SoakRun soak({}, 5, seed());
    wait_a_while(soak);
    ::kill(soak.program(), SIGKILL);
    const int status = soak.wait();
    EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL) << status;
    const auto report = soak.report(true);
    tell("program killed", soak, report);
    EXPECT_EQ(report.at("recording").at("lost_events"), 0);
    EXPECT_THAT(differences(report, soak.truth(), Agreement::nothing_lost), IsEmpty()) << "round " << round;
  }
}

TEST_F(Killed, RecorderLeavesTheProgramAndAReadableRecording) {
  for (int round = 0; round < kills(); ++round) {
    SoakRun soak({}, 1.2, seed());
    ASSERT_GT(soak.recorder(), 0);
    wait_a_while(soak);
    ::kill(soak.recorder(), SIGKILL);
    const auto killed = std::chrono::steady_clock::now();
    expect_ended_as_it_wanted(soak.wait());
    EXPECT_LT(std::chrono::steady_clock::now() - killed, kEndsWithin) << "round " << round;
    const auto report = soak.report(false);
    tell("recorder killed", soak, report);
    expect_flushed(report);
    EXPECT_EQ(report.at("recording").at("complete"), false);
    EXPECT_THAT(differences(report, soak.truth(), Agreement::no_more), IsEmpty()) << "round " << round;
  }
}

TEST_F(Killed, BothLeaveAReadableRecording) {
  for (int round = 0; round < kills(); ++round) {
    SoakRun soak({}, 5, seed());
    ASSERT_GT(soak.recorder(), 0);
    wait_a_while(soak);
    const bool program_first = round % 2 == 0;
    ::kill(program_first ? soak.program() : soak.recorder(), SIGKILL);
    ::kill(program_first ? soak.recorder() : soak.program(), SIGKILL);
    const int status = soak.wait();
    EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL) << status;
    const auto report = soak.report(false);
    tell("both killed", soak, report);
    expect_flushed(report);
    EXPECT_EQ(report.at("recording").at("complete"), false);
    EXPECT_THAT(differences(report, soak.truth(), Agreement::no_more), IsEmpty()) << "round " << round;
  }
}

}  // namespace
}  // namespace memswell::tests
