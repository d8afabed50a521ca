// What the control group of a process says about memory: limits, use and out-of-memory kills, for cgroup v2
// (Documentation/admin-guide/cgroup-v2.rst) and v1 (cgroup-v1/memory.rst), whichever has the memory controller.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/ids.h"
#include "base/result.h"
#include "probes/smaps/process_files.h"

namespace memswell::smaps {

struct CgroupMemory {
  int version = 2;
  std::string directory;             // of the process's group, as mounted here
  std::optional<Bytes> limit_bytes;  // the lowest of the group and the groups around it; nullopt: no limit
  std::optional<Bytes> current_bytes;
  std::optional<std::uint64_t> oom_kills;  // in this group and below (v1: in this group)
  // Of memory.stat, groups below included. v1 counts shared memory as file.
  Bytes anon_bytes = 0;
  Bytes file_bytes = 0;
  Bytes kernel_bytes = 0;  // slab, stacks, page tables, sockets; in the limit, but in no process's RSS
};

// Reads it for a process. nullopt: no memory controller is mounted, or the group lies outside of what is mounted here.
Result<std::optional<CgroupMemory>> read_cgroup_memory(const ProcessFiles& files);

// Reads the same group's figures again, all but the limit. What cannot be read stays as it was.
void refresh(CgroupMemory& memory);

// The steps, each alone:

struct CgroupPlace {
  int version = 2;
  std::string path;  // of the group, as /proc/PID/cgroup gives it
};

// From the text of /proc/PID/cgroup: the groups that may have the memory controller, v1 before v2.
std::vector<CgroupPlace> parse_cgroup(std::string_view text);

struct CgroupMount {
  int version = 2;
  std::string root;   // group that is mounted there
  std::string point;  // directory
};

// From the text of /proc/PID/mountinfo: where cgroup2, and cgroup with the memory controller, are mounted.
std::vector<CgroupMount> parse_cgroup_mounts(std::string_view text);

// Reads the files of the group at `place`, in the first mount that shows it and has them.
std::optional<CgroupMemory> read_cgroup_files(const CgroupPlace& place, const std::vector<CgroupMount>& mounts);

}  // namespace memswell::smaps
