// run --max-recording: the file stays small, and says what the whole recording says.
#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "tests/e2e/harness.h"
#include "tests/support/subprocess.h"

namespace memswell::tests {
namespace {

using nlohmann::json;

constexpr std::uint64_t kMiB = 1 << 20;

struct Bounded {
  TemporaryFolder folder;
  std::string file = folder.file("churning.swell");
  std::uint64_t bytes = 0;
  json report;
};

void record_into(Bounded& bounded, const Words& options, const std::string& blocks) {
  Words arguments = {"run", "-q", "-o", bounded.file};
  arguments.insert(arguments.end(), options.begin(), options.end());
  arguments.insert(arguments.end(), {"--", case_path("churning"), blocks});
  const Finished run = memswell(arguments);
  ASSERT_EQ(run.exit_code, 0) << run.err;
  ASSERT_EQ(run.out, "churned\n");
  bounded.bytes = std::filesystem::file_size(bounded.file);
  const Finished report = memswell({"report", "--json", bounded.file});
  ASSERT_EQ(report.exit_code, 0) << report.err;
  bounded.report = json::parse(report.out);
}

// What the calls alone decide.
json figures_of(const json& process) {
  json figures;
  for (const char* key : {"calls", "allocated_bytes", "frees", "temporary", "reallocs", "reallocs_moved", "realloc_copied_bytes", "callocs",
                          "calloc_bytes", "live_blocks_at_exit", "live_bytes_at_exit", "slack_bytes_at_exit", "inherited_blocks",
                          "inherited_bytes", "inherited_live_at_exit", "peak_live_bytes", "peak_live_blocks", "replaced", "unmatched_frees"})
    figures["totals"][key] = process.at("totals").at(key);
  for (const json& phase : process.at("phases"))
    figures["phases"].push_back({phase.at("name"), phase.at("calls"), phase.at("allocated_bytes"), phase.at("begin_live_bytes"),
                                 phase.at("end_live_bytes"), phase.at("peak_live_bytes")});
  for (const json& site : process.at("sites")) {
    json& of_site = figures["sites"][site.at("function").get<std::string>() + ":" + std::to_string(site.at("line").get<int>())];
    for (const char* key : {"calls", "bytes", "frees", "temporary", "live_blocks", "live_bytes", "live_at_peak_bytes"}) of_site[key] = site.at(key);
  }
  std::uint64_t freed = 0;
  for (const json& bucket : process.at("lifetimes")) freed += bucket.at("blocks").get<std::uint64_t>();
  figures["lifetimes"] = freed;
  return figures;
}

TEST(MaxRecording, AFoldedRecordingSaysWhatTheWholeOneSays) {
  Bounded whole;
  Bounded folded;
  record_into(whole, {}, "200000");
  record_into(folded, {"--max-recording", "1MiB"}, "200000");
  EXPECT_GT(whole.bytes, 4 * kMiB);
  EXPECT_LE(folded.bytes, kMiB);
  const json& fold = folded.report.at("recording").at("folded");
  EXPECT_GE(fold.at("folds").get<int>(), 3);
  EXPECT_EQ(fold.at("max_bytes"), kMiB);
  EXPECT_TRUE(whole.report.at("recording").at("folded").is_null());
  EXPECT_EQ(folded.report.at("recording").at("events"), whole.report.at("recording").at("events"));
  ASSERT_EQ(folded.report.at("processes").size(), 2U);
  for (std::size_t i = 0; i < 2; ++i)
    EXPECT_EQ(figures_of(folded.report.at("processes").at(i)), figures_of(whole.report.at("processes").at(i)));
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folded.folder.path()), {}), 1);  // nothing is left beside it
}

// At any moment the file of that name is a whole recording.
TEST(MaxRecording, AKilledRecorderLeavesAReadableRecording) {
  for (const char* seconds : {"0.6", "1.1", "1.7", "2.3"}) {
    const TemporaryFolder folder;
    const std::string file = folder.file("r.swell");
    const std::string script = "'" + case_path("../../bin/memswell") + "' run -q --max-recording 1MiB -o '" + file + "' -- '" +
                               case_path("churning") + "' 4000000 & P=$!; sleep " + seconds +
                               "; for c in $(cat /proc/$P/task/$P/children); do "
                               "[ \"$(cat /proc/$c/comm)\" = memswell-record ] && kill -9 $c && R=killed; "
                               "[ \"$(cat /proc/$c/comm)\" = churning ] && kill -9 $c; done; wait $P; echo $R";
    const Finished run = tests::run({.argv = {"/bin/sh", "-c", script}});
    EXPECT_EQ(run.out, "killed\n") << run.err;
    const Finished report = memswell({"report", "--json", file});
    ASSERT_EQ(report.exit_code, 0) << report.err;
    EXPECT_GT(json::parse(report.out).at("recording").at("events").get<std::uint64_t>(), 10'000U);
  }
}

TEST(MaxRecording, AnAbsurdBoundIsRefused) {
  const Finished run = memswell({"run", "--max-recording", "10KiB", "--", "true"});
  EXPECT_EQ(run.exit_code, 2);
  EXPECT_NE(run.err.find("--max-recording is too small: 1MiB is the least"), std::string::npos) << run.err;
}

}  // namespace
}  // namespace memswell::tests
