#include "probes/smaps/cgroup_memory.h"

#include <fcntl.h>

#include <algorithm>
#include <array>
#include <span>

#include "probes/smaps/text_cursor.h"

namespace memswell::smaps {
namespace {

// v1 says "no limit" by the largest number of pages that fit into a signed long.
constexpr Bytes kNoLimitV1 = Bytes{1} << 62;

struct StatRow {
  std::string_view key;
  Bytes CgroupMemory::*member;
};

constexpr StatRow kStatV2[] = {
    {"anon", &CgroupMemory::anon_bytes},
    {"file", &CgroupMemory::file_bytes},
    {"kernel", &CgroupMemory::kernel_bytes},  // Linux 5.18
};
constexpr StatRow kKernelPartsV2[] = {
    {"kernel_stack", &CgroupMemory::kernel_bytes}, {"pagetables", &CgroupMemory::kernel_bytes},
    {"percpu", &CgroupMemory::kernel_bytes},       {"slab", &CgroupMemory::kernel_bytes},
    {"sock", &CgroupMemory::kernel_bytes},
};
constexpr StatRow kStatV1[] = {
    {"total_rss", &CgroupMemory::anon_bytes},
    {"total_cache", &CgroupMemory::file_bytes},
};

struct Names {
  const char* limit;
  const char* current;
  const char* events;
};

constexpr Names names_of(int version) {
  return version == 2 ? Names{"memory.max", "memory.current", "memory.events"}
                      : Names{"memory.limit_in_bytes", "memory.usage_in_bytes", "memory.oom_control"};
}

std::optional<std::string> read_file(const std::string& path) {
  const UniqueFd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!fd) return std::nullopt;
  ReadBuffer buffer;
  const auto read = buffer.read_all(fd.get());
  if (read.error != 0) return std::nullopt;
  return std::string(read.text);
}

std::optional<Bytes> read_number(const std::string& path) {
  const auto text = read_file(path);
  if (!text) return std::nullopt;
  std::string_view rest = *text;
  return take_number<Bytes>(rest);  // "max" is none
}

std::optional<std::uint64_t> keyed_number(std::string_view text, std::string_view key) {
  while (auto line = take_line(text)) {
    if (take_word(line->text) != key || !take_char(line->text, ' ')) continue;
    return take_number<std::uint64_t>(line->text);
  }
  return std::nullopt;
}

bool add_rows(CgroupMemory& memory, std::string_view text, std::span<const StatRow> rows) {
  bool all = true;
  for (const auto& row : rows) {
    const auto bytes = keyed_number(text, row.key);
    memory.*row.member += bytes.value_or(0);
    all = all && bytes.has_value();
  }
  return all;
}

void read_statistics(CgroupMemory& memory) {
  const auto text = read_file(memory.directory + "/memory.stat");
  if (!text) return;
  memory.anon_bytes = memory.file_bytes = memory.kernel_bytes = 0;
  if (memory.version == 1) {
    add_rows(memory, *text, kStatV1);
    memory.kernel_bytes = read_number(memory.directory + "/memory.kmem.usage_in_bytes").value_or(0);
  } else if (!add_rows(memory, *text, kStatV2)) {
    add_rows(memory, *text, kKernelPartsV2);
  }
}

// The group's own limit and those of all groups around it that are to be seen here.
std::optional<Bytes> lowest_limit(std::string directory, const std::string& mount_point, int version) {
  std::optional<Bytes> lowest;
  for (;;) {
    const auto limit = read_number(directory + "/" + names_of(version).limit);
    if (limit && (version == 2 || *limit < kNoLimitV1) && (!lowest || *limit < *lowest)) lowest = limit;
    if (directory.size() <= mount_point.size()) return lowest;
    directory.resize(std::max(directory.rfind('/'), mount_point.size()));
  }
}

// The path of `group` below the mounted group `root`; nullopt: not below it.
std::optional<std::string> below(const std::string& group, const std::string& root) {
  if (group.find("/..") != std::string::npos) return std::nullopt;
  if (root == "/") return group == "/" ? "" : group;
  if (!group.starts_with(root) || (group.size() > root.size() && group[root.size()] != '/')) return std::nullopt;
  return group.substr(root.size());
}

bool lists_memory(std::string_view controllers) {
  while (!controllers.empty()) {
    const auto comma = controllers.find(',');
    if (controllers.substr(0, comma) == "memory") return true;
    controllers.remove_prefix(comma == std::string_view::npos ? controllers.size() : comma + 1);
  }
  return false;
}

// mountinfo writes blank, tab, newline and backslash as three octal digits.
std::string unescape(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    auto digits = text.substr(i + 1, 3);
    const auto code = text[i] == '\\' && digits.size() == 3 ? take_number<unsigned char>(digits, 8) : std::nullopt;
    const bool escaped = code && digits.empty();
    out += escaped ? static_cast<char>(*code) : text[i];
    if (escaped) i += 3;
  }
  return out;
}

}  // namespace

std::vector<CgroupPlace> parse_cgroup(std::string_view text) {
  std::vector<CgroupPlace> places;
  while (const auto line = take_line(text)) {
    const auto first = line->text.find(':');
    const auto second = line->text.find(':', first == std::string_view::npos ? first : first + 1);
    if (second == std::string_view::npos || !line->whole) continue;
    const auto controllers = line->text.substr(first + 1, second - first - 1);
    const bool unified = line->text.starts_with("0:") && controllers.empty();
    if (unified) places.push_back({2, std::string(line->text.substr(second + 1))});
    if (lists_memory(controllers)) places.insert(places.begin(), {1, std::string(line->text.substr(second + 1))});
  }
  return places;
}

std::vector<CgroupMount> parse_cgroup_mounts(std::string_view text) {
  std::vector<CgroupMount> mounts;
  while (auto line = take_line(text)) {
    // id parent major:minor root point options tags… - type source super-options
    for (int field = 0; field < 3; ++field) take_word(line->text);
    const auto root = take_word(line->text);
    const auto point = take_word(line->text);
    const auto dash = line->text.find(" - ");
    if (!line->whole || dash == std::string_view::npos) continue;
    line->text.remove_prefix(dash + 3);
    const auto type = take_word(line->text);
    take_word(line->text);
    const auto options = take_word(line->text);
    if (type == "cgroup2") mounts.push_back({2, unescape(root), unescape(point)});
    if (type == "cgroup" && lists_memory(options)) mounts.push_back({1, unescape(root), unescape(point)});
  }
  return mounts;
}

void refresh(CgroupMemory& memory) {
  const auto names = names_of(memory.version);
  read_statistics(memory);
  if (const auto current = read_number(memory.directory + "/" + names.current)) memory.current_bytes = current;
  const auto events = read_file(memory.directory + "/" + names.events);
  if (const auto kills = events ? keyed_number(*events, "oom_kill") : std::nullopt) memory.oom_kills = kills;
}

std::optional<CgroupMemory> read_cgroup_files(const CgroupPlace& place, const std::vector<CgroupMount>& mounts) {
  for (const auto& mount : mounts) {
    const auto path = mount.version == place.version ? below(place.path, mount.root) : std::nullopt;
    if (!path) continue;
    CgroupMemory memory;
    memory.version = place.version;
    memory.directory = mount.point + *path;
    // The root group has statistics, but no limit and no events.
    if (!read_file(memory.directory + "/memory.stat")) continue;
    refresh(memory);
    memory.limit_bytes = lowest_limit(memory.directory, mount.point, place.version);
    return memory;
  }
  return std::nullopt;
}

Result<std::optional<CgroupMemory>> read_cgroup_memory(const ProcessFiles& files) {
  ReadBuffer buffer;
  const auto cgroup = files.read("cgroup", buffer);
  if (!cgroup) return cgroup.error();
  if (!*cgroup) return std::optional<CgroupMemory>();
  const auto places = parse_cgroup(**cgroup);
  const auto mountinfo = read_file("/proc/self/mountinfo");
  if (!mountinfo) return Error{"cannot read /proc/self/mountinfo, which tells where control groups are mounted"};
  const auto mounts = parse_cgroup_mounts(*mountinfo);
  for (const auto& place : places) {
    auto memory = read_cgroup_files(place, mounts);
    if (memory) return memory;
  }
  return std::optional<CgroupMemory>();
}

}  // namespace memswell::smaps
