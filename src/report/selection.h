// Which processes and snapshots of a run a report is about.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "analysis/model.h"

namespace memswell::report {

// The process that a summary shows: the one with the largest peak RSS. Null if the recording has none.
const analysis::ProcessReport* main_process(const analysis::RunReport& run);

// All, or those with this pid (an exec begins another image of the same pid), in order of their begin.
std::vector<const analysis::ProcessReport*> processes_with(const analysis::RunReport& run,
                                                           std::optional<std::uint64_t> pid);

// What a person is shown of a run: one pid, or everything, or the largest few by peak RSS, largest first.
struct ProcessChoice {
  std::optional<std::uint64_t> pid = std::nullopt;
  bool all = false;
};
std::vector<const analysis::ProcessReport*> chosen_processes(const analysis::RunReport& run, const ProcessChoice& choice);

// "76 smaller process images are not shown: …", or that there is none of this pid; empty: all are shown.
std::string left_out_text(const analysis::RunReport& run, const ProcessChoice& choice);

const analysis::LedgerSnapshot* peak_snapshot(const analysis::ProcessReport& process);  // null: none was taken
const analysis::LedgerSnapshot* exit_snapshot(const analysis::ProcessReport& process);

// The phase that is running at `time`; null outside of all.
const analysis::Phase* phase_at(const analysis::ProcessReport& process, Nanoseconds time);

// The site with the largest value of `member` in a snapshot; null if there is none above 0.
const analysis::Site* largest_site(const analysis::ProcessReport& process, const analysis::LedgerSnapshot& snapshot,
                                   Bytes analysis::SiteShare::*member);

std::uint64_t calls_of(const analysis::RunReport& run);  // of all processes

}  // namespace memswell::report
