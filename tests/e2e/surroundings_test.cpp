// What surrounds a program — descriptors, environment, root, limits, sandbox, disk — is its own; recording lives with
// it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "tests/e2e/harness.h"

namespace memswell::tests {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

bool is_root() { return ::geteuid() == 0; }

TEST(Surroundings, StandardStreamsPassThroughUntouched) {
  const Recorded r = record_case("filter", {}, {.input = std::string(100000, 'x') + "\nend"});
  EXPECT_EQ(r.run.exit_code, 41);
  EXPECT_EQ(r.run.out, std::string(100000, 'x') + "\nend");
  EXPECT_EQ(r.run.err, "100004 bytes\n");
  EXPECT_EQ(site(r, "buffer_site"), (Site{27, 27 * 4096, 0, 0}));  // 25 full or part, one for the end, dprintf's own
}

TEST(Surroundings, ARecordingThatNobodyKeepsHasNoSummary) {
  const Finished run = memswell({"run", "-o", "/dev/null", "/bin/echo", "said"});
  EXPECT_EQ(run.exit_code, 0);
  EXPECT_EQ(run.out, "said\n");
  EXPECT_EQ(run.err, "memswell: there is no summary: /dev/null does not keep what was recorded\n");
}

TEST(Surroundings, ProgramThatClosesEveryDescriptorIsRecordedOn) {
  const TemporaryFolder folder;
  const Recorded r = record_case("descriptors", {folder.file("own")}, {.counted = true});
  EXPECT_EQ(r.run.out, "descriptor 3, 10000 bytes, 0 bad\n");
  EXPECT_EQ(site(r, "between_writes_site").live_blocks, 6000U);
  EXPECT_THAT(count_differences(r), IsEmpty());
}

TEST(Surroundings, EmptyRootAndDroppedPrivileges) {
  if (!is_root()) GTEST_SKIP() << "only root can change its root";
  const TemporaryFolder folder;
  const Recorded r = record_case("jail", {folder.path()});
  EXPECT_EQ(r.run.out, "inside as 65534\n");
  EXPECT_EQ(site(r, "outside_site"), (Site{400, 28800, 400, 28800}));
  EXPECT_EQ(site(r, "inside_site"), (Site{3500, 126000, 3500, 126000}));
}

TEST(Surroundings, LimitsOfTheProgramHold) {
  const Recorded r = record_case("limits");
  EXPECT_EQ(r.run.exit_code, 61);
  EXPECT_EQ(site(r, "limited_site").calls, 50000U);
  EXPECT_EQ(site(r, "limited_site").live_blocks, 1000U);
}

class Sandbox : public ::testing::TestWithParam<const char*> {};

TEST_P(Sandbox, CostsNoCall) {
  const Recorded r = record_case("sandbox", {GetParam()});
  EXPECT_EQ(r.run.exit_code, 0);
  EXPECT_EQ(site(r, "boxed_site").calls, 20000U);
  EXPECT_EQ(site(r, "boxed_site").live_blocks, 0U);
}

INSTANTIATE_TEST_SUITE_P(Kinds, Sandbox, ::testing::Values("eperm", "strict"),
                         [](const auto& one) { return std::string(one.param); });

class ChildEnvironment : public ::testing::TestWithParam<const char*> {};

// record_case compares what the child printed with what it prints without memswell: the environment given to it.
TEST_P(ChildEnvironment, IsExactlyWhatTheProgramGave) {
  const Recorded r = record_case("environment", {GetParam()});
  EXPECT_THAT(r.run.out, Not(HasSubstr("memswell")));
  EXPECT_EQ(site(r, "parent_site"), (Site{320, 320 * 44, 0, 0}));
}

INSTANTIATE_TEST_SUITE_P(Kinds, ChildEnvironment, ::testing::Values("given", "empty", "cleared"),
                         [](const auto& one) { return std::string(one.param); });

TEST(Surroundings, PreloadOfTheUserWorksOnAndReachesItsChildren) {
  const Recorded r = record_case("preloaded", {}, {.environment = {{"LD_PRELOAD", case_path("libpreload.so")}}});
  EXPECT_EQ(r.run.out, "parent opened 5\nchild opened 5\n");
  EXPECT_EQ(site(r, "work_site"), (Site{1800, 1800 * 28, 0, 0}));
}

TEST(Surroundings, InterruptReachesTheProgramOnceAndItEndsAsItWants) {
  const Recorded r = record_case("interrupted");
  EXPECT_EQ(r.run.exit_code, 51);
  EXPECT_EQ(r.run.out, "interrupted 1 times\n");
  EXPECT_EQ(site(r, "cleaning_site"), (Site{70, 70 * 53, 70, 70 * 53}));
}

TEST(Surroundings, UnwritableFolderIsSaidBeforeTheProgramStarts) {
  const TemporaryFolder folder;
  const std::string gone = folder.file("gone");
  std::filesystem::create_directory(gone);
  const Finished f = run(
      {.argv = {"sh", "-c", "cd \"$1\" && rmdir \"$1\" && exec \"$0\" run -- /bin/echo ran", MEMSWELL_BINARY, gone}});
  EXPECT_EQ(f.exit_code, 125);
  EXPECT_EQ(f.out, "");
}

TEST(Surroundings, AbsolutePathServesADeletedFolder) {
  const TemporaryFolder folder;
  const std::string gone = folder.file("gone");
  std::filesystem::create_directory(gone);
  const Finished f =
      run({.argv = {"sh", "-c", "cd \"$2\" && rmdir \"$2\" && exec \"$0\" run -q -o \"$1\" -- /bin/echo ran",
                    MEMSWELL_BINARY, folder.file("x.swell"), gone}});
  EXPECT_EQ(f.exit_code, 0) << f.err;
  EXPECT_EQ(f.out, "ran\n");
  EXPECT_TRUE(std::filesystem::exists(folder.file("x.swell")));
}

TEST(Surroundings, RecordingThatExistsIsNotOverwritten) {
  const TemporaryFolder folder;
  const std::string precious = folder.file("x.swell");
  std::ofstream(precious) << "precious";
  const Finished f = memswell({"run", "-o", precious, "--", "/bin/echo", "ran"});
  EXPECT_EQ(f.exit_code, 125);
  EXPECT_EQ(f.out, "");
  EXPECT_EQ(std::filesystem::file_size(precious), 8U);
  EXPECT_EQ(memswell({"run", "-q", "--force", "-o", precious, "--", "/bin/echo", "ran"}).out, "ran\n");
  EXPECT_GT(std::filesystem::file_size(precious), 8U);
}

// A sample each half second sees nothing of it; the release waits until the recorder has looked, once.
TEST(Surroundings, FootprintBeforeALargeReleaseIsSeen) {
  const Recorded r = record_case("spike", {}, {.run_options = {"--interval", "500ms"}});
  constexpr std::uint64_t kSpike = 24 << 20;
  std::uint64_t largest = 0;
  std::size_t before_release = 0;
  const nlohmann::json spike = process(r, "spike");
  for (const auto& snapshot : spike.at("snapshots")) {
    EXPECT_EQ(snapshot.at("difference_bytes"), 0);
    largest = std::max(largest, snapshot.at("rss_bytes").get<std::uint64_t>());
    if (snapshot.at("cause") == "before_release") ++before_release;
  }
  EXPECT_GE(largest, kSpike);
  EXPECT_LE(before_release, 1U);
}

// The first boundaries are due before any process has begun.
TEST(Surroundings, IntervalsMayBeShorterThanTheStart) {
  const Recorded r = record_case("endings", {"exit"}, {.run_options = {"--phase-every", "1ms"}});
  EXPECT_EQ(r.reports.at(0).at("recording").at("complete"), true);
  EXPECT_EQ(site(r, "keep_blocks"), (Site{7000, 280000, 7000, 280000}));
}

TEST(Surroundings, LimitsAreNotKeptByWhatIsNotKnown) {
  const TemporaryFolder folder;
  const std::string whole = folder.file("whole.swell"), cut = folder.file("cut.swell"), sampled = folder.file("sampled.swell");
  memswell({"run", "-q", "-o", whole, "--", "/bin/true"});
  memswell({"run", "-q", "--no-preload", "-o", sampled, "--", "/bin/true"});
  std::filesystem::copy_file(whole, cut);
  std::filesystem::resize_file(cut, std::filesystem::file_size(cut) / 2);
  EXPECT_EQ(memswell({"check", "--max-peak-rss", "1GiB", "--max-calls", "100000", whole}).exit_code, 0);
  EXPECT_EQ(memswell({"check", "--max-peak-rss", "1GiB", cut}).exit_code, 1);
  EXPECT_EQ(memswell({"check", "--max-peak-rss", "1GiB", sampled}).exit_code, 0);
  const Finished unknown = memswell({"check", "--max-calls", "100000", sampled});
  EXPECT_EQ(unknown.exit_code, 1);
  EXPECT_THAT(unknown.out, HasSubstr("UNKNOWN   calls: calls were not recorded of /bin/true"));
}

TEST(Surroundings, AReportNeverReplacesARecording) {
  const TemporaryFolder folder;
  const std::string recording = folder.file("x.swell");
  memswell({"run", "-q", "-o", recording, "--", "/bin/true"});
  const auto size = std::filesystem::file_size(recording);
  EXPECT_EQ(memswell({"report", "-o", recording, "--force", recording}).exit_code, 125);
  EXPECT_EQ(std::filesystem::file_size(recording), size);
}

TEST(Surroundings, TheProgramsFirstOpenReturnsTheLowestNumber) {
  const TemporaryFolder folder;
  const auto as_alone = [&](const std::string& name, const Words& argv) {
    Words words = {"run", "-q", "-o", folder.file(name), "--"};
    words.insert(words.end(), argv.begin(), argv.end());
    const Finished alone = run({.argv = argv}), recorded = memswell(words);
    EXPECT_EQ(recorded.out, alone.out) << name;
    EXPECT_EQ(recorded.exit_code, alone.exit_code) << name << ": " << recorded.err;
  };
  as_alone("number", {"/usr/bin/python3", "-c", "import os; print(os.open('/dev/null', os.O_RDONLY))"});
  const std::string three = "open(A, '<', '/dev/null') && open(B, '<', '/dev/null') && open(C, '<', '/dev/null') or die; print 'opened'";
  as_alone("few", {"bash", "-c", "ulimit -n 6; exec /usr/bin/perl -e \"$0\"", three});
}

TEST(Surroundings, AScriptsMarksAreNotWhatTheSummaryIsAbout) {
  const TemporaryFolder folder;
  const Finished f = memswell({"run", "-o", folder.file("x.swell"), "--", "sh", "-c",
                               std::string(MEMSWELL_BINARY) + " mark load; " + MEMSWELL_BINARY + " mark write"});
  EXPECT_THAT(f.err.substr(0, f.err.find('\n')), HasSubstr("sh -c"));
}

TEST(Surroundings, ABadPatternIsSaidBeforeTheProgramRuns) {
  const Finished f = memswell({"run", "--skip", "[", "--", "/bin/echo", "ran"});
  EXPECT_EQ(f.exit_code, 2);
  EXPECT_EQ(f.out, "");
}

// A small file system of its own, in a mount namespace of its own: the program lives on, what fits stays readable.
TEST(Surroundings, FullDiskEndsTheRecordingAndNotTheProgram) {
  if (!is_root()) GTEST_SKIP() << "only root can mount a small file system";
  const TemporaryFolder folder;
  const std::string script =
      "mount -t tmpfs -o size=32k none \"$2\" && \"$0\" run -o \"$2/x.swell\" -- \"$1\" exchange; echo \"status $?\";"
      " \"$0\" report --json \"$2/x.swell\"";
  const Finished f =
      run({.argv = {"unshare", "--mount", "sh", "-c", script, MEMSWELL_BINARY, case_path("threads"), folder.path()}});
  ASSERT_THAT(f.out, HasSubstr("4 threads ended\nstatus 0\n"));
  const auto report = nlohmann::json::parse(f.out.substr(f.out.find("status 0\n") + 9));
  EXPECT_EQ(report.at("recording").at("complete"), false);
  EXPECT_THAT(f.err, HasSubstr("space"));
}

TEST(Surroundings, FirstProcessOfAPidNamespaceIsRecorded) {
  if (!is_root()) GTEST_SKIP() << "only root can make a pid namespace everywhere";
  const Recorded r = record({"unshare", "--pid", "--fork", "--mount-proc", case_path("endings"), "exit"});
  EXPECT_EQ(r.run.exit_code, 22);
  EXPECT_EQ(site(r, "keep_blocks"), (Site{7000, 280000, 7000, 280000}));
}

TEST(Surroundings, ProgramNamesMayHoldAnyByte) {
  const TemporaryFolder folder;
  const std::string strange = folder.file("new\nline \x1b[31m\xff");
  std::filesystem::copy_file(case_path("family"), strange);
  const Finished f = memswell({"run", "-o", folder.file("x.swell"), "--", strange});
  EXPECT_EQ(f.exit_code, 0);
  EXPECT_EQ(f.out, "family done\n");
  EXPECT_THAT(f.err, Not(HasSubstr("\x1b[31m")));
}

}  // namespace
}  // namespace memswell::tests
