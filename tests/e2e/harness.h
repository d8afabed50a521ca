// Records a program with the real memswell and reads the recording back through `memswell report --json`.
//
//   const Recorded r = record_case("endings", {"sigkill"});
//   EXPECT_EQ(r.run.signal, SIGKILL);
//   EXPECT_EQ(site(r, "keep_blocks").calls, 7000U);
//
// record_case also runs the program alone first and fails the test if memswell changed what it said or how it ended.
#pragma once

#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/support/counter_report.h"
#include "tests/support/subprocess.h"

namespace memswell::tests {

using Words = std::vector<std::string>;

struct RecordOptions {
  Words run_options = {};  // further options of `memswell run`
  std::map<std::string, std::string> environment = {};
  std::string working_directory = {};
  std::string input = {};
  bool counted = false;  // a second, independent count behind memswell's own, in Recorded::counted
  std::chrono::seconds limit{120};
};

struct Recorded {
  Finished run;
  std::vector<nlohmann::json> reports;  // one a recording, in the order in which the runs began
  std::vector<Counted> counted;         // process images other than memswell's own
};

Recorded record(const Words& argv, const RecordOptions& options = {});

// Of tests/e2e/cases; compared with the program alone.
Recorded record_case(const std::string& name, const Words& arguments = {}, const RecordOptions& options = {});
std::string case_path(const std::string& name);

// Every process image of the recordings, in the order in which they began.
std::vector<nlohmann::json> processes(const Recorded& recorded);
// The first image whose command is NAME, or has NAME as its last path component. Throws if there is none.
nlohmann::json process(const Recorded& recorded, const std::string& name);

struct Site {
  std::uint64_t calls = 0;
  std::uint64_t bytes = 0;
  std::uint64_t live_blocks = 0;
  std::uint64_t live_bytes = 0;
  friend bool operator==(const Site&, const Site&) = default;
};
std::ostream& operator<<(std::ostream& out, const Site& site);

// The sum over all processes of the sites in function NAME.
Site site(const Recorded& recorded, const std::string& function);
Site site(const nlohmann::json& process, const std::string& function);

// Where calls or bytes of a process image differ from the independent count: one sentence each, empty if all agree.
// Needs RecordOptions::counted.
std::vector<std::string> count_differences(const Recorded& recorded);

// The report of a recording that goes on after `memswell run` has returned, asked for until it says that it is
// complete. Throws after a minute.
nlohmann::json report_when_complete(const std::string& recording);

Finished memswell(const Words& arguments, const RecordOptions& options = {});

}  // namespace memswell::tests
