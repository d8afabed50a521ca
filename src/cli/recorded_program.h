// Records a program for a table: `memswell run` in a process of its own, its output taken away from the terminal.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"

namespace memswell::cli {

struct ProgramRun {
  std::vector<std::string> command;
  std::string recording;                    // path; replaced if it exists
  std::vector<std::string> options = {};      // further ones of memswell run
  std::vector<std::string> environment = {};  // "NAME=value", beside our own
};

// Before a row of runs: that recordings can be left in `directory`. Error: it is none (usage).
Result<void> check_directory(const std::string& directory);

// What the program wrote to stdout. Errors: it cannot be run (not_found, not_executable), or did not end with status 0.
Result<std::string> record_program(const ProgramRun& run);

// PREFIX/lib/memswell/NAME, for the PREFIX that this program is installed or built in.
std::string part_of_memswell(const std::string& name);

}  // namespace memswell::cli
