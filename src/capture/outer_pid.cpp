#include "capture/outer_pid.h"

#include <dirent.h>

#include <charconv>
#include <memory>
#include <string>

#include "probes/smaps/process_files.h"
#include "probes/smaps/process_tree.h"
#include "probes/smaps/status_parser.h"

namespace memswell::capture {
namespace {

std::optional<smaps::Status> read_status(pid_t pid) {
  const auto files = smaps::ProcessFiles::open(pid);
  if (!files || !*files) return std::nullopt;
  smaps::ReadBuffer buffer;
  const auto text = (*files)->read("status", buffer);
  if (!text || !*text) return std::nullopt;
  auto status = smaps::parse_status(**text);
  if (!status) return std::nullopt;
  return std::move(*status);
}

std::uint32_t innermost(const smaps::Status& status) {
  return static_cast<std::uint32_t>(status.ns_pids.empty() ? status.pid : status.ns_pids.back());
}

// The numeric entries of a directory of /proc.
std::vector<pid_t> numbers_in(const std::string& path) {
  std::vector<pid_t> numbers;
  const std::unique_ptr<DIR, int (*)(DIR*)> directory(opendir(path.c_str()), closedir);
  if (directory == nullptr) return numbers;
  while (const dirent* entry = readdir(directory.get())) {
    const std::string_view name = entry->d_name;
    pid_t number = 0;
    const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), number);
    if (error == std::errc() && end == name.data() + name.size()) numbers.push_back(number);
  }
  return numbers;
}

}  // namespace

std::optional<std::uint32_t> inner_pid_of(pid_t pid) {
  const auto status = read_status(pid);
  if (!status) return std::nullopt;
  return innermost(*status);
}

std::optional<pid_t> find_child_by_inner_pid(pid_t parent, std::uint32_t inner) {
  const auto candidate = static_cast<pid_t>(inner);
  if (const auto status = read_status(candidate); status && innermost(*status) == inner && status->ppid == parent)
    return candidate;
  std::optional<pid_t> any;
  for (const pid_t pid : numbers_in("/proc")) {
    const auto status = read_status(pid);
    if (!status || innermost(*status) != inner) continue;
    if (status->ppid == parent) return pid;
    // Without a namespace the numbers agree; pid 1 of the machine is nobody's child here.
    if (pid == candidate && status->ns_pids.size() == 1 && pid != 1) any = pid;
  }
  return any;
}

std::vector<pid_t> children_of(pid_t pid) {
  const auto files = smaps::ProcessFiles::open(pid);
  if (!files || !*files) return {};
  auto children = smaps::child_pids(**files);
  if (!children) return {};
  return *std::move(children);
}

}  // namespace memswell::capture
