// The subcommands as a table: each lives in a file of its own, declares its options and gives back what to do.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "cli/command_line.h"

namespace memswell::cli {

// What remains after the command line is read; its value is the exit code.
using Action = std::function<Result<int>()>;

struct Command {
  Usage usage;               // usage.name is the word on the command line
  std::string summary;       // one line in the list of commands
  Action (*declare)(CommandLine&);
};

Command run_command();
Command report_command();
Command timeline_command();
Command explain_command();
Command export_command();
Command compare_command();
Command check_command();
Command mark_command();
Command watch_command();
Command doctor_command();
Command workload_command();

// Finds the subcommand, reads its options and carries it out. `arguments` are those of main() without the first.
Result<int> dispatch(const std::vector<std::string>& arguments);

}  // namespace memswell::cli
