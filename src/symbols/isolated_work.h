// Work on files that may be broken or hostile, done in child processes, a few at a time: a crash, an endless loop or an
// explosion of memory ends the child and not us, and the memory that it took is gone with it. The children are forks,
// so work may use whatever the caller has built up, and hands back bytes.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "base/ids.h"
#include "base/result.h"

namespace memswell::symbols {

struct WorkLimits {
  unsigned at_once = 0;           // children at a time; 0: one a processor
  Bytes data_bytes = 2ull << 30;  // private memory that a child may add (RLIMIT_DATA)
  Bytes result_bytes = 256ull << 20;
  std::chrono::seconds cpu{300};
  std::chrono::seconds wall{600};  // a network that does not answer is slow without using the processor
};

using Work = std::function<std::string()>;

// One result a piece of work, in order. An error says how its child ended.
std::vector<Result<std::string>> run_isolated(const std::vector<Work>& works, const WorkLimits& limits);

}  // namespace memswell::symbols
