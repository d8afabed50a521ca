// Clocks that step.
#include <gtest/gtest.h>
#include <unistd.h>

#include "tests/e2e/harness.h"

namespace memswell::tests {
namespace {

constexpr Site kKept{7000, 280000, 7000, 280000};
constexpr std::uint64_t kHour = 3'600'000'000'000;

Finished run_with_clock(const Words& setting, const std::string& recording, const Words& program) {
  Words argv = {"env", "LD_PRELOAD=" + case_path("libstrange_clock.so")};
  argv.insert(argv.end(), setting.begin(), setting.end());
  for (const std::string& word : {std::string(MEMSWELL_BINARY), std::string("run"), std::string("-q"), std::string("-o"), recording,
                                  std::string("--")})
    argv.push_back(word);
  argv.insert(argv.end(), program.begin(), program.end());
  return run({.argv = argv});
}

void expect_times_in_order(const nlohmann::json& report) {
  const auto duration = report.at("duration_ns").get<std::uint64_t>();
  for (const auto& process : report.at("processes")) {
    std::uint64_t last = process.at("begin_ns");
    for (const auto& phase : process.at("phases")) {
      EXPECT_GE(phase.at("begin_ns"), last);
      last = phase.at("end_ns");
    }
    EXPECT_LE(last, duration);
  }
}

TEST(ClockThatSteps, ChangesNothing) {
  const TemporaryFolder folder;
  const Finished f = run_with_clock({"STRANGE_STEP=7200"}, folder.file("x.swell"), {case_path("endings"), "exit"});
  EXPECT_EQ(f.exit_code, 22) << f.err;
  const auto report = report_when_complete(folder.file("x.swell"));
  EXPECT_EQ(site(report.at("processes").at(0), "keep_blocks"), kKept);
  EXPECT_LT(report.at("duration_ns"), kHour);
  expect_times_in_order(report);
}

// The program's clocks are days ahead of the recorder's.
TEST(ClockThatSteps, OfATimeNamespaceIsTheProgramsOwn) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root can make a time namespace everywhere";
  const Words unshared = {"unshare", "--time", "--fork", "--monotonic", "864000", "--boottime", "864000"};
  Words probe = unshared;
  probe.push_back("true");
  if (run({.argv = probe}).exit_code != 0) GTEST_SKIP() << "this kernel has no time namespaces";
  Words argv = unshared;
  argv.push_back(case_path("endings"));
  argv.push_back("exit");
  const Recorded r = record(argv);
  EXPECT_EQ(r.run.exit_code, 22);
  EXPECT_EQ(site(r, "keep_blocks"), kKept);
  EXPECT_LT(r.reports.at(0).at("duration_ns"), kHour);
  expect_times_in_order(r.reports.at(0));
}

}  // namespace
}  // namespace memswell::tests
