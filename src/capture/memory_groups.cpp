#include "capture/memory_groups.h"

#include <algorithm>

namespace memswell::capture {
namespace {

constexpr Nanoseconds kInterval = 50'000'000;
constexpr Nanoseconds kIntervalNearTheLimit = 5'000'000;

trace::GroupMemory figures(const smaps::CgroupMemory& memory, Nanoseconds time) {
  return {.process = {},
          .time = time,
          .limit_bytes = memory.limit_bytes.value_or(0),
          .anon_bytes = memory.anon_bytes,
          .file_bytes = memory.file_bytes,
          .kernel_bytes = memory.kernel_bytes,
          .current_bytes = memory.current_bytes.value_or(0)};
}

bool is_near_the_limit(const smaps::CgroupMemory& memory) {
  return memory.limit_bytes && memory.current_bytes && *memory.current_bytes > *memory.limit_bytes / 2;
}

void look_at(MemoryGroups::Group& group, Nanoseconds now) {
  const trace::GroupMemory before = figures(group.memory, group.looked_at);
  const auto kills = group.memory.oom_kills;
  refresh(group.memory);
  group.looked_at = now;
  if (group.memory.oom_kills > kills) group.before_kill = before;
}

}  // namespace

MemoryGroups::Group* MemoryGroups::of(const smaps::ProcessFiles& files) {
  const auto text = files.read("cgroup", buffer_);
  if (!text || !*text) return nullptr;
  const auto [place, is_new] = groups_.try_emplace(std::string(**text));
  Group& group = place->second;
  if (is_new) {
    auto memory = smaps::read_cgroup_memory(files);
    group.readable = memory && *memory && (*memory)->oom_kills;
    if (group.readable) group.memory = **memory;
    group.kills_taken = group.memory.oom_kills.value_or(0);
    next_look_ = 0;
  }
  return group.readable ? &group : nullptr;
}

void MemoryGroups::look(Nanoseconds now) {
  if (now < next_look_) return;
  next_look_ = now + kInterval;
  for (auto& [text, group] : groups_) {
    if (!group.readable || !group.memory.limit_bytes) continue;
    look_at(group, now);
    if (is_near_the_limit(group.memory)) next_look_ = now + kIntervalNearTheLimit;
  }
}

std::optional<trace::GroupMemory> MemoryGroups::take_kill(Group& group, Nanoseconds now) {
  look_at(group, now);
  if (group.memory.oom_kills.value_or(0) <= group.kills_taken) return std::nullopt;
  ++group.kills_taken;
  return group.before_kill;
}

}  // namespace memswell::capture
