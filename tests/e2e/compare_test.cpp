// memswell compare as a person uses it: recordings side by side, and a program run under several allocators.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "tests/e2e/harness.h"

namespace memswell::tests {
namespace {

using nlohmann::json;
using testing::HasSubstr;
using testing::Not;

class Compare : public testing::Test {
 protected:
  Finished compare(Words arguments) {
    arguments.insert(arguments.begin(), {"compare", "-o", folder_.path()});
    return memswell(arguments);
  }
  static bool installed(const char* library) {
    return std::filesystem::exists(std::string("/usr/lib/x86_64-linux-gnu/") + library);
  }
  TemporaryFolder folder_;
};

const json& column(const json& comparison, const std::string& label) {
  for (const json& each : comparison.at("columns")) {
    if (each.at("label") == label) return each;
  }
  throw std::runtime_error("no column " + label);
}

// The same calls and the same bytes, whoever serves them.
TEST_F(Compare, AProgramAsksTheSameOfEveryAllocator) {
  const Finished done = compare({"--allocators", "glibc,jemalloc,mimalloc,tcmalloc", "--",
                                 std::string(MEMSWELL_WORKLOADS) + "/append", "strings=20", "policy=plus25"});
  ASSERT_EQ(done.exit_code, 0) << done.err;
  std::size_t recordings = 0;
  for (const auto& file : std::filesystem::directory_iterator(folder_.path())) {
    const json report = json::parse(memswell({"report", "--json", file.path()}).out);
    const Site grow = site(report.at("processes").at(0), "grow");
    EXPECT_EQ(grow.calls, 20U * 31) << file;
    EXPECT_EQ(grow.live_blocks, 0U) << file;
    ++recordings;
  }
  EXPECT_EQ(recordings, 1U + installed("libjemalloc.so.2") + installed("libmimalloc.so.2.0") +
                            installed("libtcmalloc_minimal.so.4"));
}

TEST_F(Compare, AnAllocatorThatIsNotInstalledIsSaidAndLeftOut) {
  const Finished done = compare({"--allocators", "glibc,jemalloc,mimalloc,tcmalloc", "--", "/bin/true"});
  ASSERT_EQ(done.exit_code, 0) << done.err;
  for (const auto& [name, library] : {std::pair{"jemalloc", "libjemalloc.so.2"}, std::pair{"mimalloc", "libmimalloc.so.2.0"},
                                      std::pair{"tcmalloc", "libtcmalloc_minimal.so.4"}}) {
    if (installed(library)) {
      EXPECT_THAT(done.out, HasSubstr(name));
    } else {
      EXPECT_THAT(done.err, HasSubstr(std::string(name) + " is not installed"));
    }
  }
}

TEST_F(Compare, RepeatedRunsHaveAMedianAndASpread) {
  const Finished done = compare({"--json", "--repeat", "3", "--", std::string(MEMSWELL_WORKLOADS) + "/stack"});
  ASSERT_EQ(done.exit_code, 0) << done.err;
  const json comparison = json::parse(done.out);
  const json& only = comparison.at("columns").at(0);
  EXPECT_EQ(only.at("runs"), 3);
  const json& time = only.at("duration_ns");
  EXPECT_LE(time.at("low"), time.at("median"));
  EXPECT_LE(time.at("median"), time.at("high"));
}

TEST_F(Compare, AProgramThatFailsIsNamedWithItsAllocator) {
  const Finished done = compare({"--allocators", "glibc", "--", "/bin/false"});
  EXPECT_EQ(done.exit_code, 125) << done.out;
  EXPECT_THAT(done.err, HasSubstr("glibc"));
  EXPECT_THAT(done.err, HasSubstr("/bin/false"));
}

struct Misuse {
  Words arguments;
  int exit_code;
  const char* says;
};

TEST_F(Compare, MisuseIsSaidInASentence) {
  const Misuse kMisuses[] = {
      {{"compare"}, 2, "at least two recordings"},
      {{"compare", "one.swell"}, 2, "at least two recordings"},
      {{"compare", "one.swell", "two.swell"}, 3, "one.swell"},
      {{"compare", "--repeat", "0", "--", "/bin/true"}, 2, "--repeat: 0 would be nothing"},
      {{"compare", "--repeat", "2", "one.swell", "two.swell"}, 2, "need a program"},
      {{"compare", "--allocators", "snmalloc", "--", "/bin/true"}, 2, "snmalloc"},
      {{"compare", "--allocators", ",", "--", "/bin/true"}, 2, "--allocators"},
      {{"compare", "--allocators", "glibc", "--", "/no/such/program"}, 127, "/no/such/program"},
  };
  for (const Misuse& misuse : kMisuses) {
    const Finished done = memswell(misuse.arguments, {.working_directory = folder_.path()});
    EXPECT_EQ(done.exit_code, misuse.exit_code) << testing::PrintToString(misuse.arguments) << done.err;
    EXPECT_THAT(done.err, HasSubstr(misuse.says));
    EXPECT_THAT(done.out, testing::IsEmpty());
  }
}

// tcmalloc does so before its constructor has run: the hooks asked again inside of the question, without end.
TEST_F(Compare, AnAllocatorMayAllocateWhileItIsAskedForASize) {
  const std::string allocator = case_path("libbuilding_allocator.so");
  const Finished done = compare({"--json", "--allocators", allocator, "--", case_path("operators")});
  ASSERT_EQ(done.exit_code, 0) << done.err;
  EXPECT_GT(column(json::parse(done.out), "libbuilding_allocator.so").at("calls").at("median"), 0);
}

}  // namespace
}  // namespace memswell::tests
