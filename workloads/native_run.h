// Runs a workload without memswell and takes what it printed.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "workloads/truth.h"

namespace memswell::workloads {

// The words of a variant's arguments.
std::vector<std::string> words(std::string_view arguments);

enum class Errors { pass, kept };  // what becomes of stderr

struct Ending {
  std::string output;  // stdout
  std::string errors;  // stderr, if it was kept
  int exit_code = -1;  // if it exited
  int signal = 0;      // if a signal ended it
};

// Runs a program to its end. `environment`: "NAME=value", beside our own. Error: it could not be run (not_found).
Result<Ending> run_to_end(const std::vector<std::string>& command, const std::vector<std::string>& environment = {},
                          Errors errors = Errors::pass);

// stdout of a program that ended with status 0. Errors: it could not be run (not_found), or failed.
Result<std::string> output_of(const std::vector<std::string>& command, const std::vector<std::string>& environment = {});

// `program`: its path. Errors: as above; what it printed is no truth; it refused an argument (usage, with its own sentence).
Result<Truth> run_natively(const std::string& program, const std::vector<std::string>& arguments);

}  // namespace memswell::workloads
