// The children of a process: from /proc/PID/task/TID/children where the kernel has it (CONFIG_PROC_CHILDREN), else by
// asking every process for its parent. Both miss children that come and go meanwhile: a look, not a log.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "probes/smaps/process_files.h"

namespace memswell::smaps {

enum class ChildrenFrom { children_files, scan_of_all };

// What child_pids will use on this kernel.
ChildrenFrom children_source();

// Ordered by pid. Empty: none, or the process is gone.
Result<std::vector<std::int32_t>> child_pids(const ProcessFiles& files, ChildrenFrom from = children_source());

// Children, their children and so on. Ordered by pid, each once; the process itself is not in.
Result<std::vector<std::int32_t>> descendant_pids(std::int32_t pid, ChildrenFrom from = children_source());

// "12 345 6 ": the text of a children file. What is no number ends the list.
std::vector<std::int32_t> parse_children(std::string_view text);

}  // namespace memswell::smaps
