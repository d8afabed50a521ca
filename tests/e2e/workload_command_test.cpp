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
      {{"workload", "stack", "-o", "/no/such/folder"}, "/no/such/folder is no directory"},
      {{"workload", "real-seeds", "-o", "/no/such/folder"}, "/no/such/folder is no directory"},
  };
  for (const Misuse& misuse : kMisuses) {
    const Finished done = memswell(misuse.arguments, {.working_directory = folder_.path()});
    EXPECT_EQ(done.exit_code, 2) << testing::PrintToString(misuse.arguments) << done.err;
    EXPECT_THAT(done.err, HasSubstr(misuse.says));
  }
}

}  // namespace
}  // namespace memswell::tests
