// The runs behind `compare --allocators … -- PROG` and `compare --repeat N -- PROG`: PROG recorded several times, once or
// more under each allocator.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace memswell::cli {

struct LabelledRecording {
  std::string label;
  std::string path;
};

struct RepeatedRuns {
  std::vector<std::string> command;
  std::vector<std::string> allocators;  // "glibc", "jemalloc", "mimalloc", "tcmalloc", or the path of a library; empty: as it is
  std::uint64_t repeat = 1;
  std::string directory = ".";  // of the recordings
};

// The parts of "a,b,c" that are not empty.
std::vector<std::string> parted(std::string_view list, char separator);

// Allocators take turns, so that a machine that changes its pace does so for all. One that is not installed is said and left
// out. The program's stdout is not shown. Errors: no allocator is left, or the program fails.
Result<std::vector<LabelledRecording>> record_repeatedly(const RepeatedRuns& request);

}  // namespace memswell::cli
