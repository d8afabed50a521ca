#include "cli/load.h"

#include "analysis/analyse.h"

namespace memswell::cli {

void declare_names(CommandLine& line, LoadOptions& options) {
  line.values("--skip", "REGEX", options.skip,
              "functions that match are memory plumbing too: the site is the caller outside of them");
  line.flag("--debuginfod", options.debuginfod, "ask the servers of DEBUGINFOD_URLS for missing symbols");
}

Result<analysis::RunReport> load(const std::string& path, const LoadOptions& options) {
  analysis::Options analysis_options;
  analysis_options.keep_mappings = options.keep_mappings;
  analysis_options.page_ledgers = options.page_ledgers;
  return analysis::analyse(path, analysis_options);
}

}  // namespace memswell::cli
