// A recording on the command line -> a report value: the analysis, with names from the symbols room.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "analysis/model.h"
#include "base/result.h"
#include "cli/command_line.h"
#include "report/selection.h"

namespace memswell::cli {

struct LoadOptions {
  std::vector<std::string> skip;  // regular expressions of functions that are memory plumbing too
  bool debuginfod = false;        // ask debuginfod servers for missing symbols
  bool keep_mappings = false;
  bool page_ledgers = true;
  bool names = true;              // false: no symbol is looked up
};

// --skip and --debuginfod, which every command that names call sites has.
void declare_names(CommandLine& line, LoadOptions& options);

// --process and --all-processes.
void declare_processes(CommandLine& line, report::ProcessChoice& choice);

// Error (usage): the recording has no process of that pid.
Result<void> check_process(const analysis::RunReport& run, std::optional<std::uint64_t> pid);

// Errors: those of the reader (unreadable_recording), or a --skip that is no regular expression (usage).
Result<analysis::RunReport> load(const std::string& path, const LoadOptions& options);

}  // namespace memswell::cli
