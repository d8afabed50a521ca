// `check`: holds a recording to limits, for CI.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "analysis/model.h"
#include "report/terminal.h"

namespace memswell::report {

struct LimitKind {
  const char* option;  // "--max-peak-rss"
  const char* words;   // "peak RSS"
  bool in_bytes;
  bool of_calls;  // only known of processes whose calls were recorded
  std::uint64_t (*value)(const analysis::ProcessReport&);
};
std::span<const LimitKind> limit_kinds();

struct Limit {
  const LimitKind* kind = nullptr;
  std::uint64_t most = 0;
};

struct CheckOutcome {
  bool held = true;
  std::string text;  // one line a limit, with the process that comes closest to it
};

// Every process has to keep every limit. A recording that lost events or ends early has lower bounds only: `text` says so.
CheckOutcome check_limits(const analysis::RunReport& run, const std::vector<Limit>& limits, const Terminal& terminal);

}  // namespace memswell::report
