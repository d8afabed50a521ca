// A built-in workload's own truth, and what memswell says about the same run: compared exactly for calls, bytes and live
// blocks of every phase, within 1 % for resident pages.
#pragma once

#include "tests/e2e/harness.h"

namespace memswell::tests {

struct Told {
  nlohmann::json alone;     // the program's truth without memswell
  nlohmann::json recorded;  // and while it was recorded
  nlohmann::json process;   // what memswell says
};

Words command_line(const std::string& name, const std::string& arguments);

// Runs the workload alone, then recorded.
Told tell(const std::string& name, const std::string& arguments);

// Of phases by name, of snapshots by what they were taken at; throw if there is none.
const nlohmann::json& named(const nlohmann::json& phases, const std::string& name);
const nlohmann::json& snapshot_at(const nlohmann::json& process, const std::string& at);
double number(const nlohmann::json& object, const char* key);

// Of every phase, and of the whole run.
void expect_same_counts(const Told& told);

// Anonymous memory and peaks against the run alone (recording must not have changed the footprint), RSS against what the
// program read itself while it was recorded.
void expect_same_pages(const Told& told);

// Every byte of every snapshot has one owner.
void expect_ledgers_add_up(const nlohmann::json& process);

}  // namespace memswell::tests
