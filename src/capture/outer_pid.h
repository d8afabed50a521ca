// Pids across namespaces: a program in its own pid namespace calls itself 1, the recorder sees another number.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <vector>

namespace memswell::capture {

// What process `pid` calls itself in its innermost namespace (the last number of NSpid in /proc/PID/status, Linux 4.1).
std::optional<std::uint32_t> inner_pid_of(pid_t pid);

// The child of `parent` that calls itself `inner`; if none, because the parent has ended, any process that does.
std::optional<pid_t> find_child_by_inner_pid(pid_t parent, std::uint32_t inner);

// Children of all threads of a process; empty if it is gone.
std::vector<pid_t> children_of(pid_t pid);

}  // namespace memswell::capture
