// Findings: what is notable about one process, from the closed set of FindingKind. Each rule looks at the report value,
// says at most a few things, and says them with their evidence; whoever has nothing notable gets an empty list.
#pragma once

#include <string>
#include <vector>

#include "analysis/model.h"
#include "analysis/site_windows.h"

namespace memswell::analysis {

struct FindingInput {
  const ProcessReport* process = nullptr;        // complete but for findings
  const std::vector<Window>* windows = nullptr;  // sites numbered as in the report
  std::vector<std::string> environment;
  std::vector<Nanoseconds> stretches;  // ends of even parts of the run, each the end of a window
};

// Sorted: savings of a tenth of the peak RSS first, what saves most before; then what explains a quarter of it without
// a saving; then the rest.
std::vector<Finding> find_findings(const FindingInput& input);

// Adds to what is said about shared pages of a parent which child copied them.
void tell_children(std::vector<ProcessReport>& processes);

}  // namespace memswell::analysis
