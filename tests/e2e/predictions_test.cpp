// Acting on an explanation brings what it promised: the program does what the ledger has predicted, and counts the pages.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <regex>

#include "tests/e2e/harness.h"

namespace memswell::tests {
namespace {

using nlohmann::json;

constexpr double kPage = 4096;

json snapshot_of(const json& process, const std::string& at) {
  for (const json& snapshot : process.at("snapshots")) {
    if (snapshot.at("at") == at) return snapshot;
  }
  throw std::runtime_error("no snapshot at " + at);
}

double row(const json& snapshot, const std::string& owner) {
  for (const json& entry : snapshot.at("rows")) {
    if (entry.at("owner") == owner) return entry.at("bytes").get<double>();
  }
  throw std::runtime_error("no row " + owner);
}

// What malloc_trim(0) would return more if the site freed its blocks.
double what_if(const json& process, const json& snapshot, const std::string& function,
               const char* figure = "returns_bytes") {
  double bytes = 0;
  for (const json& share : snapshot.at("sites")) {
    const json& site = process.at("sites").at(share.at("site").get<std::size_t>());
    if (site.at("function") == function && !share.at(figure).is_null()) bytes += share.at(figure).get<double>();
  }
  return bytes;
}

struct Fragmented {
  const char* name;
  Words arguments;  // count, site that goes at last, kind of block, threads
  std::string site;
  std::map<std::string, std::string> environment;
};

class Prediction : public testing::TestWithParam<Fragmented> {};

TEST_P(Prediction, IsWhatMallocTrimReturns) {
  const Fragmented& program = GetParam();
  RecordOptions options;
  options.run_options = {"--phase-on", R"(^@phase (\S+))"};
  options.environment = program.environment;
  Words argv{case_path("fragmented")};
  argv.insert(argv.end(), program.arguments.begin(), program.arguments.end());
  const Recorded recorded = record(argv, options);
  ASSERT_EQ(recorded.run.exit_code, 0) << recorded.run.err;
  char* end = nullptr;
  const double trimmed = kPage * static_cast<double>(std::strtol(recorded.run.out.c_str(), &end, 10));
  const double returned = kPage * static_cast<double>(std::strtol(end, nullptr, 10));

  const json told = process(recorded, "fragmented");
  const json freed = snapshot_of(told, "phase freed");
  EXPECT_EQ(freed.at("difference_bytes"), 0);
  EXPECT_NEAR(row(freed, "heap_trimmable"), trimmed, trimmed * 0.01);
  EXPECT_NEAR(what_if(told, freed, program.site), returned, returned * 0.01);
}

INSTANTIATE_TEST_SUITE_P(
    Fragmentation, Prediction,
    testing::Values(Fragmented{"AtRandom", {"200000", "0", "m", "0"}, "site_a", {}},
                    Fragmented{"InArenasOfThreads", {"300000", "1", "m", "3"}, "site_b", {}},
                    Fragmented{"OfCalloc", {"200000", "2", "c", "0"}, "site_c", {}},
                    Fragmented{"GrownByRealloc", {"200000", "3", "r", "0"}, "site_d", {}},
                    Fragmented{"OneArenaForAll", {"200000", "0", "m", "3"}, "site_a", {{"MALLOC_ARENA_MAX", "1"}}},
                    Fragmented{"HighTrimThreshold",
                               {"200000", "1", "m", "0"},
                               "site_b",
                               {{"MALLOC_TRIM_THRESHOLD_", "268435456"}}},
                    Fragmented{"WithoutPagemapScan",
                               {"200000", "0", "m", "0"},
                               "site_a",
                               {{"MEMSWELL_NO_PAGEMAP_SCAN", "1"}}}),
    [](const auto& instance) { return std::string(instance.param.name); });

// Main frees the blocks of three threads with an empty cache of its own: that keeps up to seven of each size.
TEST(Predictions, WhatTheFreeingThreadsCacheKeepsIsWithinTheStatedBound) {
  RecordOptions options;
  options.run_options = {"--phase-on", R"(^@phase (\S+))"};
  const Recorded recorded = record({case_path("fragmented"), "300000", "1", "m", "3", "empty"}, options);
  ASSERT_EQ(recorded.run.exit_code, 0) << recorded.run.err;
  char* end = nullptr;
  std::strtol(recorded.run.out.c_str(), &end, 10);
  const double returned = kPage * static_cast<double>(std::strtol(end, nullptr, 10));
  const json told = process(recorded, "fragmented");
  const json freed = snapshot_of(told, "phase freed");
  const double most = what_if(told, freed, "site_b");
  const double bound = what_if(told, freed, "site_b", "returns_bound_bytes");
  EXPECT_LE(returned, most * 1.01);
  EXPECT_GE(returned, most - bound);
  EXPECT_LE(bound, 2.0 * 3 * 7 * 16 * kPage) << "three arenas, sixteen sizes, seven of each, two pages each";
}

TEST(OwnBreak, MemoryGotBySbrkIsMappedAndNotToBeTrimmed) {
  RecordOptions options;
  options.run_options = {"--phase-on", R"(^@phase (\S+))"};
  const Recorded recorded = record({case_path("own_break")}, options);
  const json told = process(recorded, "own_break");
  const json taken = snapshot_of(told, "phase taken");
  EXPECT_EQ(row(taken, "mapped"), 8.0 * 1024 * 1024);
  EXPECT_LT(row(taken, "heap_trimmable") + row(taken, "heap_cached"), 256.0 * 1024);
  EXPECT_EQ(taken.at("difference_bytes"), 0);
}

// What other allocators keep goes back with the setting that the finding names.
class OtherAllocator : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    library_ = std::string("/usr/lib/x86_64-linux-gnu/") + GetParam();
    if (!std::filesystem::exists(library_)) GTEST_SKIP() << library_ << " is not installed";
  }

  json idle(std::map<std::string, std::string> environment) const {
    environment["LD_PRELOAD"] = library_;
    const Recorded recorded = record({case_path("idle_free")}, {.run_options = {"--phase-on", R"(^@phase (\S+))"},
                                                                .environment = environment});
    EXPECT_EQ(recorded.run.exit_code, 0) << recorded.run.err;
    return process(recorded, "idle_free");
  }

  std::string library_;
};

TEST_P(OtherAllocator, GivesBackWhatTheFindingPromises) {
  const json kept = idle({});
  ASSERT_FALSE(kept.at("findings").empty());
  const json& finding = kept.at("findings").front();
  ASSERT_EQ(finding.at("kind"), "allocator_cache");
  const double promised = finding.at("saves_bytes").get<double>();
  EXPECT_GT(promised, 16.0 * 1024 * 1024);
  // The settings of the remedy: NAME=value, as they stand in the sentence.
  const std::string remedy = finding.at("remedy");
  const std::regex setting("([A-Z][A-Z_]+)=([a-z0-9_:,]*[a-z0-9])");
  std::map<std::string, std::string> environment;
  for (std::sregex_iterator at(remedy.begin(), remedy.end(), setting), end; at != end; ++at)
    environment[(*at)[1]] = (*at)[2];
  ASSERT_FALSE(environment.empty()) << remedy;
  const double before = snapshot_of(kept, "phase idle").at("rss_bytes").get<double>();
  const double after = snapshot_of(idle(environment), "phase idle").at("rss_bytes").get<double>();
  EXPECT_GT(before - after, promised * 0.9) << remedy;
}

INSTANTIATE_TEST_SUITE_P(Libraries, OtherAllocator,
                         testing::Values("libjemalloc.so.2", "libmimalloc.so.2.0", "libtcmalloc_minimal.so.4"));

}  // namespace
}  // namespace memswell::tests
