// run --sample-allocs: sums are exact, sites are estimates that are as far off as they say. Seeds are fixed: a program of one
// thread is sampled the same way each time.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <sstream>
#include <string>

#include "tests/e2e/harness.h"

namespace memswell::tests {
namespace {

using nlohmann::json;

Recorded sampled(const Words& arguments, int seed, const std::string& bytes = "64KiB") {
  return record_case("sampled", arguments, {.run_options = {"--sample-allocs", bytes, "--sample-seed", std::to_string(seed)}});
}

json site_json(const json& process, const std::string& function) {
  for (const json& site : process.at("sites"))
    if (site.at("function") == function) return site;
  return {{"calls", 0}, {"bytes", 0}, {"live_bytes", 0}, {"bytes_error", 0}, {"calls_error", 0}, {"live_error", 0}};
}

struct Truth {
  const char* site;
  double calls;
  double size;
};
constexpr Truth kTruths[] = {{"tiny_site", 40'000, 40}, {"middle_site", 4'000, 3'000}, {"large_site", 60, 60'000}};

// The program's own count: the most usable bytes at once, and those at its end.
std::pair<std::uint64_t, std::uint64_t> said(const Recorded& r) {
  std::istringstream in(r.run.out);
  std::uint64_t most = 0;
  std::uint64_t live = 0;
  in >> most >> live;
  return {most, live};
}

TEST(SampleAllocs, SumsAreThoseOfARecordingOfEverything) {
  const json all = processes(record_case("sampled", {"0"})).at(0).at("totals");
  const json some = processes(sampled({"0"}, 1)).at(0).at("totals");
  EXPECT_EQ(some.at("calls"), all.at("calls"));
  EXPECT_EQ(some.at("allocated_bytes"), all.at("allocated_bytes"));
  EXPECT_EQ(some.at("frees"), all.at("frees"));
  EXPECT_EQ(some.at("live_blocks_at_exit"), all.at("live_blocks_at_exit"));
  EXPECT_EQ(some.at("live_bytes_at_exit").get<std::uint64_t>(),
            all.at("live_bytes_at_exit").get<std::uint64_t>() + all.at("slack_bytes_at_exit").get<std::uint64_t>());
}

TEST(SampleAllocs, ThePeakOfLiveBytesIsExactForOneThread) {
  const Recorded r = sampled({"0"}, 2);
  const json totals = processes(r).at(0).at("totals");
  const auto [most, live] = said(r);
  const std::uint64_t others = totals.at("live_bytes_at_exit").get<std::uint64_t>() - live;  // what the C library has for itself
  EXPECT_LE(others, 80'000U);
  EXPECT_EQ(totals.at("peak_live_bytes").get<std::uint64_t>(), most + others);
  EXPECT_EQ(totals.at("peak_live_uncertain_bytes"), 0);
}

TEST(SampleAllocs, RecordsAFewEventsOnly) {
  const Recorded r = sampled({"0"}, 3);
  EXPECT_LE(r.reports.at(0).at("recording").at("events").get<int>(), 1'500);  // of 66,000
  EXPECT_EQ(r.reports.at(0).at("sampling").at("bytes"), 65536);
}

TEST(SampleAllocs, BlocksOf128KiBAndMoreAreAllThere) {
  const json process = processes(sampled({"0"}, 4)).at(0);
  EXPECT_EQ(site(process, "huge_site"), (Site{5, 1'500'000, 2, 600'000}));
  EXPECT_EQ(site_json(process, "huge_site").at("bytes_error"), 0);
}

TEST(SampleAllocs, SitesAreRightOnAverageAndAsFarOffAsTheySay) {
  constexpr int kRuns = 12;
  std::map<std::string, std::pair<double, double>> sums;  // of errors and of stated variances
  for (int seed = 1; seed <= kRuns; ++seed) {
    const json process = processes(sampled({"0"}, 100 + seed)).at(0);
    for (const Truth& truth : kTruths) {
      const json site = site_json(process, truth.site);
      const double error = site.at("bytes").get<double>() - truth.calls * truth.size;
      const double stated = site.at("bytes_error").get<double>();
      EXPECT_LE(std::abs(error), 4 * stated) << truth.site << " seed " << seed;
      const double kept = site.at("live_bytes").get<double>() - truth.calls / 2 * truth.size;
      EXPECT_LE(std::abs(kept), 4 * site.at("live_error").get<double>() + 1) << truth.site << " seed " << seed;
      sums[truth.site].first += error;
      sums[truth.site].second += stated * stated;
    }
  }
  for (const auto& [name, sum] : sums)
    EXPECT_LE(std::abs(sum.first), 3 * std::sqrt(sum.second)) << name << ": the mean of " << kRuns << " runs";
}

TEST(SampleAllocs, ThreadsAreSampledEachForItself) {
  const Recorded r = sampled({"4"}, 5);
  const json process = processes(r).at(0);
  const json all = processes(record_case("sampled", {"4"})).at(0).at("totals");
  EXPECT_EQ(process.at("totals").at("calls"), all.at("calls"));
  EXPECT_EQ(process.at("totals").at("frees"), all.at("frees"));
  EXPECT_GT(process.at("totals").at("peak_live_uncertain_bytes"), 0);
  const json middle = site_json(process, "middle_site");
  EXPECT_LE(std::abs(middle.at("bytes").get<double>() - 4 * 12e6), 4 * middle.at("bytes_error").get<double>());
}

TEST(SampleAllocs, AChildKnowsWhatItInheritedAndFrees) {
  const auto all = processes(sampled({"0", "fork"}, 6));
  ASSERT_EQ(all.size(), 2U);
  const json& totals = all[1].at("totals");
  EXPECT_EQ(totals.at("calls").get<int>(), 44'065);
  EXPECT_EQ(totals.at("live_blocks_at_exit"), all[0].at("totals").at("live_blocks_at_exit"));
  EXPECT_EQ(totals.at("inherited_live_at_exit"), 0) << "every sampled block that it inherited was seen to go";
}

TEST(SampleAllocs, TheLedgerSumsAndSaysThatItsHeapRowsAreBounds) {
  const json process = processes(sampled({"0"}, 7)).at(0);
  const json& snapshot = process.at("snapshots").back();
  EXPECT_EQ(snapshot.at("sampled"), true);
  EXPECT_EQ(snapshot.at("heap_exact"), false);
  std::int64_t sum = snapshot.at("own_bytes").get<std::int64_t>() + snapshot.at("difference_bytes").get<std::int64_t>();
  for (const json& row : snapshot.at("rows")) {
    sum += row.at("bytes").get<std::int64_t>();
    if (row.at("owner") == "heap_trimmable" || row.at("owner") == "heap_pinned") { EXPECT_EQ(row.at("bytes"), 0); }
  }
  EXPECT_EQ(sum, snapshot.at("smaps_rss_bytes").get<std::int64_t>());
  EXPECT_EQ(snapshot.at("live_bytes"), process.at("totals").at("live_bytes_at_exit"));
}

TEST(SampleAllocs, SaysWhatIsExactAndWhatIsAnEstimate) {
  const std::string file = ::testing::TempDir() + "sampled.swell";
  const Finished run = memswell({"run", "--sample-allocs", "64KiB", "--force", "-o", file, "--", case_path("sampled")});
  EXPECT_THAT(run.err, ::testing::HasSubstr("calls were sampled, one block in 64.0 KiB"));
  const Finished report = memswell({"report", file});
  EXPECT_THAT(report.out, ::testing::ContainsRegex("±[0-9<]+ %"));
}

TEST(SampleAllocs, IsNotCombinedWithStartOn) {
  EXPECT_EQ(memswell({"run", "--sample-allocs", "64KiB", "--start-on", "x", "--", "/bin/true"}).exit_code, 2);
}

}  // namespace
}  // namespace memswell::tests
