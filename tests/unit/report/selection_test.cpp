#include "report/selection.h"

#include <gtest/gtest.h>

namespace memswell::report {
namespace {

// Processes with pids 1, 2, … and these peaks.
analysis::RunReport run_of(std::vector<Bytes> peaks) {
  analysis::RunReport run;
  for (const Bytes peak : peaks) {
    analysis::ProcessReport& process = run.processes.emplace_back();
    process.pid = static_cast<std::uint32_t>(run.processes.size());
    process.totals.peak_rss_bytes = peak;
  }
  return run;
}

std::vector<std::uint32_t> pids(const std::vector<const analysis::ProcessReport*>& processes) {
  std::vector<std::uint32_t> out;
  for (const analysis::ProcessReport* process : processes) out.push_back(process->pid);
  return out;
}

TEST(Selection, ShowsTheThreeLargestProcessesLargestFirst) {
  const analysis::RunReport run = run_of({10, 50, 20, 40});
  EXPECT_EQ(pids(chosen_processes(run, {})), (std::vector<std::uint32_t>{2, 4, 3}));
  EXPECT_EQ(left_out_text(run, {}), "1 smaller process image is not shown: --all-processes, or --process PID\n");
}

TEST(Selection, ShowsAllInTheirOrderIfAsked) {
  const analysis::RunReport run = run_of({10, 50, 20, 40});
  EXPECT_EQ(pids(chosen_processes(run, {.all = true})), (std::vector<std::uint32_t>{1, 2, 3, 4}));
  EXPECT_EQ(left_out_text(run, {.all = true}), "");
}

TEST(Selection, ShowsOnePidAlone) {
  const analysis::RunReport run = run_of({10, 50});
  EXPECT_EQ(pids(chosen_processes(run, {.pid = 1})), (std::vector<std::uint32_t>{1}));
  EXPECT_EQ(left_out_text(run, {.pid = 1}), "");
}

TEST(Selection, SaysThatThereIsNoSuchProcess) {
  EXPECT_EQ(left_out_text(run_of({10}), {.pid = 7}), "the recording has no process of that pid\n");
}

TEST(Selection, SummarisesTheLargestProcess) {
  const analysis::RunReport run = run_of({10, 50, 20});
  EXPECT_EQ(main_process(run)->pid, 2u);
  EXPECT_EQ(main_process(analysis::RunReport{}), nullptr);
}

}  // namespace
}  // namespace memswell::report
