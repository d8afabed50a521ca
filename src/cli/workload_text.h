// The variants of a workload as a person reads them: what is common, the tables, then the explanation of each.
#pragma once

#include <string>
#include <vector>

#include "cli/workload_run.h"
#include "report/terminal.h"

namespace memswell::cli {

std::string workload_list(const report::Terminal& terminal);
std::string workload_text(const WorkloadRequest& request, const std::vector<VariantRun>& runs,
                          const report::Terminal& terminal);
std::string workload_json(const workloads::Workload& workload, const std::vector<VariantRun>& runs);

}  // namespace memswell::cli
