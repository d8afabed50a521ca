// `explain`: phases, pulses, ledgers and findings of a recording, in the order in which a person asks.
#pragma once

#include <string>

#include "analysis/model.h"
#include "report/selection.h"
#include "report/terminal.h"

namespace memswell::report {

struct StoryOptions {
  ProcessChoice processes = {};
  bool all_ledgers = false;
};

std::string story(const analysis::RunReport& run, const StoryOptions& options, const Terminal& terminal);

}  // namespace memswell::report
