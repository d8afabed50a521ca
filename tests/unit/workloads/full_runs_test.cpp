// Every variant of every workload at full size, without memswell, against all that the catalogue expects of it: do the
// shapes come out on this machine? Prints the table expectation, measured, verdict.
#include <gtest/gtest.h>

#include <iostream>

#include "workloads/check.h"
#include "workloads/native_run.h"

namespace memswell::workloads {
namespace {

struct Case {
  const Workload* workload;
  const Variant* variant;
};

std::vector<Case> all_cases() {
  std::vector<Case> cases;
  for (const Workload& workload : catalogue()) {
    for (const Variant& variant : workload.variants) cases.push_back({&workload, &variant});
  }
  return cases;
}

std::string test_name(const testing::TestParamInfo<Case>& info) {
  std::string name = std::string(info.param.workload->name) + "_" + std::string(info.param.variant->name);
  for (char& c : name) {
    if (std::isalnum(static_cast<unsigned char>(c)) == 0) c = '_';
  }
  return name + "_" + std::to_string(info.index);
}

class FullRun : public testing::TestWithParam<Case> {};

TEST_P(FullRun, MeetsEveryExpectation) {
  const auto& [workload, variant] = GetParam();
  const Machine machine = probe_machine();
  const auto truth =
      run_natively(std::string(MEMSWELL_WORKLOADS) + "/" + std::string(workload->name), words(variant->arguments));
  ASSERT_TRUE(truth) << truth.error().sentence;
  for (const Checked& checked : check(*variant, *truth, machine)) {
    std::cout << "  " << workload->name << " " << variant->name << ": " << sentence(checked) << "\n";
    EXPECT_NE(checked.verdict, Verdict::fails) << sentence(checked);
  }
}

INSTANTIATE_TEST_SUITE_P(Workloads, FullRun, testing::ValuesIn(all_cases()), test_name);

}  // namespace
}  // namespace memswell::workloads
