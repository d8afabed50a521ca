// Every variant of every built-in workload at full size, as `memswell workload` runs it: its expectations hold, and the
// recording says what the program says of itself. Takes minutes: label "long".
#include <gtest/gtest.h>

#include "tests/e2e/workload_truth.h"

namespace memswell::tests {
namespace {

using nlohmann::json;

void expect_told_as_it_is(const json& variant, const std::string& workload) {
  const json report = json::parse(memswell({"report", "--json", variant.at("recording")}).out);
  const Told told{variant.at("alone"), variant.at("recorded"), report.at("processes").at(0)};
  expect_ledgers_add_up(told.process);
  if (workload == "vector-growth" || workload == "thread-arenas") return;  // the C++ library and threads allocate too
  expect_same_counts(told);
  if (workload != "fork-cow") expect_same_pages(told);  // its pages are shared while the child lives
}

class FullSize : public testing::TestWithParam<const char*> {};

TEST_P(FullSize, IsToldAsItIs) {
  const TemporaryFolder folder;
  const std::string workload = GetParam();
  const Finished done = memswell({"workload", workload, "--all", "--json", "-o", folder.path()}, {.limit = std::chrono::seconds(1200)});
  ASSERT_EQ(done.exit_code, 0) << done.err;
  const json result = json::parse(done.out);
  for (const json& variant : result.at("variants")) {
    SCOPED_TRACE(workload + " " + variant.at("name").get<std::string>());
    for (const json& expectation : variant.at("expectations")) EXPECT_NE(expectation.at("verdict"), "fails") << expectation;
    expect_told_as_it_is(variant, workload);
  }
}

std::string workload_name(const testing::TestParamInfo<const char*>& info) {
  std::string name = info.param;
  for (char& c : name) c = c == '-' ? '_' : c;
  return name;
}

INSTANTIATE_TEST_SUITE_P(Workloads, FullSize,
                         testing::Values("calloc-lazy", "calloc-trap", "calloc-bench", "buffer-tail", "freelist-pulse", "append",
                                         "append-single", "frag-pin", "vector-growth", "fastbin-retention", "thread-arenas",
                                         "fork-cow", "mmap-file", "stack", "madv-free"),
                         workload_name);

}  // namespace
}  // namespace memswell::tests
