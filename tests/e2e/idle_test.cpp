// run --idle: what a phase has not written, by call site.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/e2e/harness.h"

namespace memswell::tests {
namespace {

using nlohmann::json;
using testing::HasSubstr;

constexpr double kMiB = 1024 * 1024;
constexpr double kOfASite = 12.5 * kMiB;

const json& snapshot_at(const json& process, const std::string& at) {
  for (const json& snapshot : process.at("snapshots")) {
    if (snapshot.at("at") == at) return snapshot;
  }
  throw std::runtime_error("no snapshot at " + at);
}

double idle_of(const json& process, const json& snapshot, const std::string& function) {
  double bytes = 0;
  for (const json& share : snapshot.at("sites")) {
    if (process.at("sites").at(share.at("site").get<std::size_t>()).at("function") == function)
      bytes += share.at("idle_bytes").get<double>();
  }
  return bytes;
}

Recorded record_idle(Words argv, std::map<std::string, std::string> environment = {}) {
  RecordOptions options;
  options.run_options = {"--idle", "--phase-on", R"(^@phase (\S+))"};
  options.environment = std::move(environment);
  return record(argv, options);
}

// Pages at the borders between blocks of two sites are written with the one that is busy.
constexpr double kBorders = 200 * 2 * 4096;

void expect_idle(const json& process) {
  const json& at_end = snapshot_at(process, "phase end");
  EXPECT_TRUE(at_end.at("idle_since_ns").is_number());
  EXPECT_EQ(at_end.at("difference_bytes"), 0);
  EXPECT_NEAR(idle_of(process, at_end, "site_parked"), kOfASite, kBorders);
  EXPECT_NEAR(idle_of(process, at_end, "site_table"), kOfASite, kBorders) << "reads are not seen";
  EXPECT_LT(idle_of(process, at_end, "site_busy"), kBorders);
  EXPECT_EQ(idle_of(process, at_end, "site_mapped"), 4 * kMiB);
  EXPECT_EQ(idle_of(process, at_end, "work"), 0) << "younger than the phase";
}

bool writes_are_tracked() {
  const json doctor = json::parse(memswell({"doctor", "--json"}).out);
  for (const json& ability : doctor.at("abilities")) {
    if (ability.at("name") == "write tracking (userfaultfd)") return ability.at("state") == "available";
  }
  return false;
}

TEST(Idle, MemoryThatAPhaseDidNotWriteIsToldBySite) {
  if (!writes_are_tracked()) GTEST_SKIP() << "this kernel does not track writes";
  const Recorded recorded = record_idle({case_path("idle")});
  ASSERT_EQ(recorded.run.exit_code, 0) << recorded.run.err;
  const json told = process(recorded, "idle");
  expect_idle(told);
  EXPECT_TRUE(snapshot_at(told, "phase serve").at("idle_since_ns").is_null()) << "nothing was tracked before";
}

TEST(Idle, AForkedChildIsTrackedToo) {
  if (!writes_are_tracked()) GTEST_SKIP() << "this kernel does not track writes";
  const Recorded recorded = record_idle({case_path("idle"), "fork"});
  ASSERT_EQ(recorded.run.exit_code, 0) << recorded.run.err;
  const std::vector<json> both = processes(recorded);
  ASSERT_EQ(both.size(), 2u);
  expect_idle(both[1]);
}

TEST(Idle, WhereTheKernelCannotTheRunGoesOnAndSaysSo) {
  const Recorded recorded = record_idle({case_path("idle")}, {{"MEMSWELL_NO_USERFAULTFD", "1"}});
  ASSERT_EQ(recorded.run.exit_code, 0);
  const json told = process(recorded, "idle");
  const json& at_end = snapshot_at(told, "phase end");
  EXPECT_TRUE(at_end.at("idle_since_ns").is_null());
  EXPECT_EQ(at_end.at("beside").at("idle_bytes"), 0);
  RecordOptions options;
  options.environment = {{"MEMSWELL_NO_USERFAULTFD", "1"}};
  const Finished loud = memswell({"run", "--idle", "--force", "-o", testing::TempDir() + "/no_idle.swell", "true"}, options);
  EXPECT_THAT(loud.err, HasSubstr("--idle has no effect"));
}

}  // namespace
}  // namespace memswell::tests
