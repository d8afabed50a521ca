// Runs variants of a built-in workload: each alone for its time and its truth, then recorded.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "analysis/model.h"
#include "base/result.h"
#include "workloads/catalogue.h"
#include "workloads/check.h"
#include "workloads/truth.h"

namespace memswell::cli {

struct VariantRun {
  const workloads::Variant* variant = nullptr;
  std::vector<std::string> arguments;
  workloads::Truth alone;                    // without memswell
  workloads::Truth recorded;                 // what the program said while it was recorded
  std::vector<workloads::Checked> checked;   // of `alone`; empty if sizes were changed
  std::string recording;                     // path
  std::unique_ptr<analysis::RunReport> report;
};

struct WorkloadRequest {
  const workloads::Workload* workload = nullptr;
  std::vector<const workloads::Variant*> variants;  // the first is the reference
  std::vector<std::string> changed;                 // arguments that take the place of the catalogue's
  std::string directory = ".";                      // of the recordings
};

// Errors: a program fails, prints no truth, or cannot be recorded.
Result<std::vector<VariantRun>> run_variants(const WorkloadRequest& request);

}  // namespace memswell::cli
