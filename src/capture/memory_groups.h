// The control groups of the recorded processes: whether the kernel killed in one of them for want of memory, and what the
// group held shortly before (afterwards the memory is gone). Looking at a group takes about 50 µs; only groups with a limit
// are looked at.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "base/ids.h"
#include "probes/smaps/cgroup_memory.h"
#include "trace/events.h"

namespace memswell::capture {

class MemoryGroups {
 public:
  struct Group;

  // The group of a process, to be looked at from now on. Null: it has none that can be read.
  Group* of(const smaps::ProcessFiles& files);

  // When it is time: more often where the limit is near.
  void look(Nanoseconds now);

  // A process of this group has died of SIGKILL: what the group held before, if that was the kernel for want of memory.
  // Each kill that the kernel has counted is taken once.
  std::optional<trace::GroupMemory> take_kill(Group& group, Nanoseconds now);

 private:
  std::map<std::string, Group> groups_;  // by the text of /proc/PID/cgroup
  Nanoseconds next_look_ = 0;
  smaps::ReadBuffer buffer_;
};

struct MemoryGroups::Group {
  bool readable = false;
  smaps::CgroupMemory memory;
  Nanoseconds looked_at = 0;
  std::uint64_t kills_taken = 0;
  trace::GroupMemory before_kill;
};

}  // namespace memswell::capture
