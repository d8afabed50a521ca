// run --start-on: calls from a phase on. The ledger stays exact; what lived before is a group of its own.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "tests/e2e/harness.h"

namespace memswell::tests {
namespace {

using nlohmann::json;

const std::string kBefore = "[before phase \"serve\"]";

Recorded record_from_serve(const Words& arguments) {
  return record_case("warm_up", arguments, {.run_options = {"--start-on", "serve"}});
}

json site_json(const json& process, const std::string& function) {
  for (const json& site : process.at("sites"))
    if (site.at("function") == function) return site;
  return {};
}

json phase(const json& process, const std::string& name) {
  for (const json& one : process.at("phases"))
    if (one.at("name") == name) return one;
  return {};
}

std::map<std::string, std::uint64_t> heap_rows(const json& process, const std::string& at) {
  std::map<std::string, std::uint64_t> rows;
  for (const json& snapshot : process.at("snapshots")) {
    if (snapshot.at("at") != at) continue;
    for (const json& row : snapshot.at("rows"))
      if (row.at("owner").get<std::string>().starts_with("heap_live") || row.at("owner") == "heap_slack" ||
          row.at("owner") == "heap_headers")
        rows[row.at("owner")] = row.at("bytes");
  }
  return rows;
}

// As one line: where the text is broken is no matter.
std::string unwrapped(const std::string& text) {
  std::string out;
  for (const char c : text)
    if (c != '\n' && (c != ' ' || (!out.empty() && out.back() != ' '))) out += c;
    else if (c == '\n' && !out.empty() && out.back() != ' ') out += ' ';
  return out;
}

TEST(StartOn, RecordsCallsFromThePhaseOnAndKnowsTheRestInSum) {
  const json process = processes(record_from_serve({"0"})).at(0);
  EXPECT_EQ(site(process, "serve_block"), (Site{500, 1'000'000, 400, 800'000}));
  EXPECT_EQ(site(process, "grow_warm_block"), (Site{10, 30'000, 10, 30'000}));
  EXPECT_EQ(site(process, "warm_block"), Site{});
  EXPECT_EQ(process.at("totals").at("unmatched_frees"), 0);
  const json& before = process.at("before_start");
  EXPECT_EQ(before.at("reached"), true);
  EXPECT_GE(before.at("calls"), 1000);
  EXPECT_GE(before.at("peak_live_bytes"), 1'000'000);
  const json group = site_json(process, kBefore);
  EXPECT_EQ(group.at("calls"), 0);
  EXPECT_EQ(group.at("frees"), 310);
  EXPECT_EQ(group.at("live_blocks"), before.at("live_blocks").get<int>() - 310);
}

TEST(StartOn, LosesNoCallAndNoByteToTheRecordingOfEverything) {
  const json some = processes(record_from_serve({"3"})).at(0);
  const json all = processes(record_case("warm_up", {"3"})).at(0);
  const json& before = some.at("before_start");
  EXPECT_EQ(before.at("calls").get<int>() + some.at("totals").at("calls").get<int>(), all.at("totals").at("calls").get<int>());
  EXPECT_EQ(before.at("allocated_bytes").get<std::uint64_t>() + some.at("totals").at("allocated_bytes").get<std::uint64_t>(),
            all.at("totals").at("allocated_bytes").get<std::uint64_t>());
  EXPECT_EQ(some.at("totals").at("live_bytes_at_exit"), all.at("totals").at("live_bytes_at_exit"));
  EXPECT_EQ(some.at("totals").at("live_blocks_at_exit"), all.at("totals").at("live_blocks_at_exit"));
  for (const char* name : {"start", "serve"})
    for (const char* key : {"calls", "allocated_bytes", "begin_live_bytes", "end_live_bytes"})
      EXPECT_EQ(phase(some, name).at(key), phase(all, name).at(key)) << name << " " << key;
}

TEST(StartOn, TheLedgerHasTheSameHeapRows) {
  const json some = processes(record_from_serve({"0"})).at(0);
  const json all = processes(record_case("warm_up", {"0"})).at(0);
  for (const char* at : {"phase serve", "exit"}) {
    EXPECT_EQ(heap_rows(some, at).size(), 3U);
    EXPECT_EQ(heap_rows(some, at), heap_rows(all, at)) << at;
  }
  EXPECT_EQ(phase(some, "start").at("peak_live_bytes"), phase(all, "start").at("peak_live_bytes"));
}

TEST(StartOn, AForkedChildKnowsWhatItInheritedFromTheWarmUp) {
  const Recorded r = record_from_serve({"0", "fork"});
  const auto all = processes(r);
  ASSERT_EQ(all.size(), 2U);
  EXPECT_EQ(all[1].at("start"), "fork");
  EXPECT_EQ(site(all[1], "serve_block"), (Site{100, 200'000, 100, 200'000}));
  EXPECT_EQ(all[1].at("totals").at("unmatched_frees"), 0);
  EXPECT_EQ(all[1].at("totals").at("inherited_blocks").get<int>() - all[1].at("totals").at("inherited_live_at_exit").get<int>(), 600);
  EXPECT_EQ(all[1].at("before_start").at("calls"), 0);
}

TEST(StartOn, AnImageThatEndsBeforeThePhaseSaysSoAndKeepsItsLedger) {
  const json process = processes(record_from_serve({"0", "never"})).at(0);
  EXPECT_EQ(process.at("before_start").at("reached"), false);
  EXPECT_EQ(process.at("totals").at("calls"), 0);
  EXPECT_GE(process.at("before_start").at("calls"), 1510);
  const json all = processes(record_case("warm_up", {"0", "never"})).at(0);
  EXPECT_EQ(heap_rows(process, "exit"), heap_rows(all, "exit"));
  EXPECT_EQ(process.at("totals").at("live_bytes_at_exit"), all.at("totals").at("live_bytes_at_exit"));
}

TEST(StartOn, AnExecBeforeThePhaseBeginsAgain) {
  const auto all = processes(record_from_serve({"0", "exec"}));
  ASSERT_EQ(all.size(), 2U);
  EXPECT_EQ(all[0].at("before_start").at("reached"), false);
  EXPECT_EQ(all[1].at("before_start").at("reached"), true);
  EXPECT_EQ(site(all[1], "serve_block").calls, 500U);
}

TEST(StartOn, TheSummarySaysFromWhenOnCallsAreRecorded) {
  const Finished f = memswell({"run", "--start-on", "serve", "-o", ::testing::TempDir() + "start_on.%p.swell", "--", case_path("warm_up")});
  EXPECT_THAT(unwrapped(f.err), ::testing::HasSubstr("are recorded from phase \"serve\" on"));
  EXPECT_THAT(unwrapped(f.err), ::testing::HasSubstr("the group " + kBefore));
}

TEST(StartOn, APhaseByAMarkFromAShellStartsIt) {
  const std::string binary = MEMSWELL_BINARY;
  const Recorded r = record({"/bin/sh", "-c", binary + " mark other; " + binary + " mark serve; " + case_path("warm_up") + " 0 never"},
                            {.run_options = {"--start-on", "serve"}});
  EXPECT_EQ(site(r, "warm_block").calls, 1000U);
  EXPECT_EQ(process(r, "warm_up").at("before_start").is_null(), true);
}

}  // namespace
}  // namespace memswell::tests
