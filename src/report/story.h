// `explain`: phases, pulses, ledgers and findings of a recording, in the order in which a person asks.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "analysis/model.h"
#include "report/terminal.h"

namespace memswell::report {

struct StoryOptions {
  std::optional<std::uint64_t> pid;
  bool all_ledgers = false;
};

std::string story(const analysis::RunReport& run, const StoryOptions& options, const Terminal& terminal);

}  // namespace memswell::report
