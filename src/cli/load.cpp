#include "cli/load.h"

#include <fmt/format.h>

#include "analysis/analyse.h"
#include "cli/symbol_names.h"
#include "symbols/plumbing.h"

namespace memswell::cli {

void declare_names(CommandLine& line, LoadOptions& options) {
  line.values("--skip", "REGEX", options.skip,
              "functions that match are memory plumbing too: the site is the caller outside of them");
  line.flag("--debuginfod", options.debuginfod, "ask the servers of DEBUGINFOD_URLS for missing symbols");
}

void declare_processes(CommandLine& line, report::ProcessChoice& choice) {
  line.number("--process", "PID", choice.pid, "only this process; otherwise the three with the largest peak RSS");
  line.flag("--all-processes", choice.all, "every process, in the order in which they began");
}

Result<void> check_process(const analysis::RunReport& run, std::optional<std::uint64_t> pid) {
  if (!report::processes_with(run, pid).empty() || !pid) return {};
  std::string pids;
  for (const auto* process : report::chosen_processes(run, {}))
    pids += fmt::format("{}{}", pids.empty() ? "" : ", ", process->pid);
  if (report::chosen_processes(run, {}).size() < run.processes.size()) pids += " and smaller ones";
  return Error{fmt::format("--process: the recording has no process {}; it has {}", *pid, pids), ExitCode::usage};
}

Result<analysis::RunReport> load(const std::string& path, const LoadOptions& options) {
  const auto plumbing = symbols::Plumbing::with_skips(options.skip);
  if (!plumbing) return plumbing.error();
  symbols::SymbolizerOptions symbolizer;
  symbolizer.search.debuginfod = options.debuginfod;
  SymbolNames names(std::move(symbolizer));
  analysis::Options analysis_options;
  analysis_options.plumbing = [&plumbing](std::string_view function, std::string_view module) {
    return plumbing->kind(function, module).has_value();
  };
  if (options.names) analysis_options.names = &names;
  analysis_options.keep_mappings = options.keep_mappings;
  analysis_options.page_ledgers = options.page_ledgers;
  return analysis::analyse(path, analysis_options);
}

}  // namespace memswell::cli
