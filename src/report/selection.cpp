#include "report/selection.h"

#include <fmt/format.h>

#include <algorithm>

namespace memswell::report {
namespace {

constexpr std::size_t kShownProcesses = 3;

const analysis::LedgerSnapshot* at(const analysis::ProcessReport& process, int index) {
  if (index < 0 || static_cast<std::size_t>(index) >= process.snapshots.size()) return nullptr;
  return &process.snapshots[static_cast<std::size_t>(index)];
}

// `memswell mark` in a script: a part of the recording, but never what it is about.
bool is_own_client(const analysis::ProcessReport& process) {
  return process.executable.ends_with("/memswell") && process.command.size() > 1 && process.command[1] == "mark";
}

bool is_less_telling(const analysis::ProcessReport& a, const analysis::ProcessReport& b) {
  if (is_own_client(a) != is_own_client(b)) return is_own_client(a);
  return a.totals.peak_rss_bytes < b.totals.peak_rss_bytes;
}

}  // namespace

const analysis::ProcessReport* main_process(const analysis::RunReport& run) {
  const auto largest = std::max_element(run.processes.begin(), run.processes.end(), is_less_telling);
  return largest == run.processes.end() ? nullptr : &*largest;
}

std::vector<const analysis::ProcessReport*> processes_with(const analysis::RunReport& run,
                                                           std::optional<std::uint64_t> pid) {
  std::vector<const analysis::ProcessReport*> found;
  for (const analysis::ProcessReport& process : run.processes) {
    if (!pid || process.pid == *pid) found.push_back(&process);
  }
  return found;
}

std::vector<const analysis::ProcessReport*> chosen_processes(const analysis::RunReport& run, const ProcessChoice& choice) {
  std::vector<const analysis::ProcessReport*> chosen = processes_with(run, choice.pid);
  if (choice.pid || choice.all) return chosen;
  std::stable_sort(chosen.begin(), chosen.end(), [](const auto* a, const auto* b) { return is_less_telling(*b, *a); });
  if (chosen.size() > kShownProcesses) chosen.resize(kShownProcesses);
  return chosen;
}

std::string left_out_text(const analysis::RunReport& run, const ProcessChoice& choice) {
  const std::size_t shown = chosen_processes(run, choice).size();
  if (shown == 0) return choice.pid ? "the recording has no process of that pid\n" : "the recording has no process\n";
  const std::size_t left_out = run.processes.size() - shown;
  if (choice.pid || left_out == 0) return {};
  return fmt::format("{} smaller process {} not shown: --all-processes, or --process PID\n", left_out,
                     left_out == 1 ? "image is" : "images are");
}

const analysis::LedgerSnapshot* peak_snapshot(const analysis::ProcessReport& process) {
  return at(process, process.peak_snapshot);
}

const analysis::LedgerSnapshot* exit_snapshot(const analysis::ProcessReport& process) {
  return at(process, process.exit_snapshot);
}

const analysis::Phase* phase_at(const analysis::ProcessReport& process, Nanoseconds time) {
  for (const analysis::Phase& phase : process.phases) {
    if (time >= phase.begin_ns && time <= phase.end_ns) return &phase;
  }
  return nullptr;
}

const analysis::Site* largest_site(const analysis::ProcessReport& process, const analysis::LedgerSnapshot& snapshot,
                                   Bytes analysis::SiteShare::*member) {
  const analysis::SiteShare* largest = nullptr;
  for (const analysis::SiteShare& share : snapshot.sites) {
    if (share.*member > (largest == nullptr ? 0 : largest->*member)) largest = &share;
  }
  if (largest == nullptr || largest->site.value >= process.sites.size()) return nullptr;
  return &process.sites[largest->site.value];
}

std::uint64_t calls_of(const analysis::RunReport& run) {
  std::uint64_t calls = 0;
  for (const analysis::ProcessReport& process : run.processes) calls += process.totals.figures.calls;
  return calls;
}

}  // namespace memswell::report
