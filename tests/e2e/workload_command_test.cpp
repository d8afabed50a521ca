// memswell workload as a person uses it: the tables, the JSON, and what is said when something is missing.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "tests/e2e/harness.h"

namespace memswell::tests {
namespace {

using nlohmann::json;
using testing::HasSubstr;

class WorkloadCommand : public testing::Test {
 protected:
  Finished workload(Words arguments, const RecordOptions& options = {}) {
    arguments.insert(arguments.begin(), {"workload", "-o", folder_.path()});
    return memswell(arguments, options);
  }
  // A PATH in which nothing but the shell is found.
  std::string path_without_interpreters() {
    const std::string bin = folder_.file("bin");
    std::filesystem::create_directory(bin);
    std::filesystem::create_symlink("/bin/sh", bin + "/sh");
    return bin;
  }
  TemporaryFolder folder_;
};

TEST_F(WorkloadCommand, VariantsStandSideBySideAndTheReferenceIsMarked) {
  const Finished done = workload({"calloc-lazy", "--variant", "malloc-memset", "--variant", "calloc", "--size", "8MiB"});
  ASSERT_EQ(done.exit_code, 0) << done.err;
  for (const char* said : {"Common:", "CPU: ", "kernel: ", "libc: ", "compiler: ", "timer precision: ", "environment: ", "Differs:",
                           "(*)", "time", "calls", "allocated", "RSS, peak", "private dirty, peak", "overallocated", "untouched",
                           "freed, retained at the end"})
    EXPECT_THAT(done.out, HasSubstr(said));
}

TEST_F(WorkloadCommand, EveryRunLeavesItsRecordings) {
  const Finished done = workload({"stack", "--json"});
  ASSERT_EQ(done.exit_code, 0) << done.err;
  for (const json& variant : json::parse(done.out).at("variants"))
    EXPECT_EQ(memswell({"report", variant.at("recording")}).exit_code, 0);
}

TEST_F(WorkloadCommand, TheExplanationSaysHowTheSecondPassDiffers) {
  const Finished done = workload({"freelist-pulse", "--variant", "block", "--size", "500000", "--passes", "2"});
  ASSERT_EQ(done.exit_code, 0) << done.err;
  EXPECT_THAT(done.out, HasSubstr("MiB above the pulse before"));
  EXPECT_THAT(done.out, HasSubstr("looks like a free list"));
}

// What RSS alone hides: the spare part of the strings, in either order, although it is told after the peak.
TEST_F(WorkloadCommand, OverallocationInTheTableIsTheProgramsOwn) {
  const Finished done = workload({"append", "--variant", "glibc-pow2-i", "--variant", "glibc-pow2-_", "--variant",
                                  "glibc-plus25-i", "--size", "100", "--json"});
  ASSERT_EQ(done.exit_code, 0) << done.err;
  const json result = json::parse(done.out);
  ASSERT_EQ(result.at("variants").size(), 3U);
  for (const json& variant : result.at("variants")) {
    for (const json& phase : variant.at("recorded").at("phases")) {
      if (!phase.contains("capacity_bytes")) continue;
      const std::uint64_t used = phase.at("string_bytes").get<std::uint64_t>() + 100;  // each ends with a zero byte
      EXPECT_EQ(variant.at("figures").at("overallocated_bytes"), phase.at("capacity_bytes").get<std::uint64_t>() - used);
    }
  }
}

// Its words name numbers; a run of another size says which numbers they are not.
TEST_F(WorkloadCommand, ARunOfAnotherSizeSaysSo) {
  const Finished usual = workload({"stack"});
  EXPECT_THAT(usual.out, testing::Not(HasSubstr("Run with")));
  const Finished changed = workload({"append", "--variant", "glibc-exact-_", "--size", "3", "--set", "bytes=7"});
  EXPECT_THAT(changed.out, HasSubstr("Run with strings=3 bytes=7: numbers in the lines above are those of the usual size."));
  EXPECT_THAT(changed.out, testing::Not(HasSubstr("800,000")));
}

// The first passes and the last one of a hundred; a total of the passes that are shown would be none of the run.
TEST_F(WorkloadCommand, OfManyPassesTheFirstAndTheLastAreShown) {
  const Finished done = workload({"freelist-pulse", "--variant", "small-block", "--variant", "block", "--size", "300", "--passes", "40"});
  ASSERT_EQ(done.exit_code, 0) << done.err;
  for (const char* shown : {"fill-1", "fill-4", "fill-40", "drop-4", "drop-40"}) EXPECT_THAT(done.out, HasSubstr(shown));
  for (const char* hidden : {"fill-5", "fill-39", "drop-20", "Total"}) EXPECT_THAT(done.out, testing::Not(HasSubstr(hidden)));
}

TEST_F(WorkloadCommand, SmallAndLargeCasesAreComparedByObject) {
  const Finished done = workload({"freelist-pulse", "--variant", "small-block", "--variant", "medium-block", "--size", "100", "--json"});
  ASSERT_EQ(done.exit_code, 0) << done.err;
  for (const auto& [variant, objects] : {std::pair{0U, 100 * 2 * 100}, {1U, 4 * 2 * 100}}) {
    const json end = json::parse(done.out).at("variants").at(variant).at("alone").at("phases").back();
    EXPECT_EQ(end.at("name"), "end");
    EXPECT_EQ(end.at("objects"), objects);
    EXPECT_GT(end.at("ns_per_object"), 0);
  }
}

// Two pulses at most, each of another phase: fifty growths in one phase are one story.
TEST_F(WorkloadCommand, APhaseIsToldByItsHighestPulse) {
  const Finished done = workload({"buffer-tail", "--variant", "calloc", "--size", "24MiB"});
  ASSERT_EQ(done.exit_code, 0) << done.err;
  std::size_t told = 0;
  for (std::size_t at = 0; (at = done.out.find("then RSS peaked at", at)) != std::string::npos; ++at) ++told;
  EXPECT_EQ(told, 1U);
}

TEST_F(WorkloadCommand, MissingInterpretersAreSaidAndNoFailure) {
  const Finished done = workload({"real-seeds"}, {.environment = {{"PATH", path_without_interpreters()}}});
  EXPECT_EQ(done.exit_code, 0) << done.err;
  for (const char* interpreter : {"python3", "python2.7", "perl"})
    EXPECT_THAT(done.out, HasSubstr(std::string(interpreter) + " is not installed here: left out"));
}

TEST_F(WorkloadCommand, MissingInterpretersAreSaidInJsonToo) {
  const Finished done = workload({"real-seeds", "--json"}, {.environment = {{"PATH", path_without_interpreters()}}});
  ASSERT_EQ(done.exit_code, 0) << done.err;
  for (const json& seed : json::parse(done.out).at("seeds")) {
    for (const json& run : seed.at("runs")) EXPECT_EQ(run.at("installed"), false) << run;
  }
}

// Debian's python3 on a developer's path may be a shell shim for an interpreter that is not there.
TEST_F(WorkloadCommand, AShimWithoutItsInterpreterIsMissingToo) {
  const std::string bin = path_without_interpreters();
  std::ofstream(bin + "/python3") << "#!/bin/sh\nexec python3.99 \"$@\"\n";
  std::filesystem::permissions(bin + "/python3", std::filesystem::perms::owner_all);
  const Finished done = workload({"real-seeds"}, {.environment = {{"PATH", bin}}});
  EXPECT_EQ(done.exit_code, 0) << done.err;
  EXPECT_THAT(done.out, HasSubstr("python3 is not installed here: left out"));
}

struct Misuse {
  Words arguments;
  const char* says;
};

TEST_F(WorkloadCommand, MisuseIsSaidInASentence) {
  const Misuse kMisuses[] = {
      {{"workload", "no-such"}, "there is no workload 'no-such'"},
      {{"workload", "stack", "--variant", "none"}, "stack has no variant 'none'"},
      {{"workload", "stack", "--set", "novalue"}, "is no NAME=VALUE"},
      {{"workload", "stack", "--passes", "3"}, "nothing that --passes would change"},
      {{"workload", "append", "--size", "-5"}, "append: strings=-5 cannot be: give a whole number from 1 to 10000000"},
      {{"workload", "append", "--size", "-5"}, "(--size sets strings)"},
      {{"workload", "append", "--size", ""}, "--size: its value is empty"},
      {{"workload", "append", "--passes", "0"}, "append: appends=0 cannot be"},
      {{"workload", "freelist-pulse", "--passes", "1001"}, "freelist-pulse: passes=1001 cannot be"},
      {{"workload", "append", "--set", "bytes=9999"}, "append: bytes=9999 cannot be: give a whole number from 1 to 4096"},
      {{"workload", "append", "--set", "no=1"}, "append: no=1 is no option of it; known:"},
      {{"workload", "calloc-lazy", "--size", "1T", "--variant", "malloc-memset"}, "there is no room for 1099511627776 bytes"},
      {{"workload", "stack", "--variant", "default", "--variant", "default"}, "--variant default is given twice"},
      {{"workload", "list", "--size", "4"}, "list takes no"},
      {{"workload", "--all"}, "list takes no"},
      {{"workload", "real-seeds", "--passes", "3"}, "real-seeds takes no"},
      {{"workload", "stack", "-o", "/no/such/folder"}, "/no/such/folder is no directory"},
      {{"workload", "real-seeds", "-o", "/no/such/folder"}, "/no/such/folder is no directory"},
  };
  for (const Misuse& misuse : kMisuses) {
    const Finished done = memswell(misuse.arguments, {.working_directory = folder_.path()});
    EXPECT_EQ(done.exit_code, 2) << testing::PrintToString(misuse.arguments) << done.err;
    EXPECT_THAT(done.err, HasSubstr(misuse.says));
    EXPECT_EQ(std::count(done.err.begin(), done.err.end(), '\n'), 1) << done.err;
  }
}

}  // namespace
}  // namespace memswell::tests
