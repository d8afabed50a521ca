#include "cli/process_by_name.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <vector>

#include "probes/smaps/process_identity.h"
#include "report/site_text.h"

namespace memswell::cli {
namespace {

constexpr std::size_t kCommLength = 15;  // TASK_COMM_LEN − 1

// 0: the entry of /proc is no process.
std::int32_t pid_of(const std::filesystem::directory_entry& entry) {
  const std::string text = entry.path().filename().string();
  std::int32_t pid = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), pid);
  return error == std::errc() && end == text.data() + text.size() ? pid : 0;
}

bool is_called(std::int32_t pid, const std::string& name) {
  const auto files = smaps::ProcessFiles::open(pid);
  if (!files || !*files) return false;
  const auto identity = smaps::identify(**files);
  if (!identity || !*identity) return false;
  return (*identity)->comm == name.substr(0, kCommLength) || report::base_name((*identity)->executable) == name;
}

}  // namespace

Result<std::int32_t> process_by_name(const std::string& name) {
  std::vector<std::int32_t> found;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator("/proc", error)) {
    const std::int32_t pid = pid_of(entry);
    if (pid != 0 && pid != ::getpid() && is_called(pid, name)) found.push_back(pid);
  }
  if (found.empty()) return Error{fmt::format("no process is called '{}'", name)};
  if (found.size() == 1) return found[0];
  std::sort(found.begin(), found.end());
  return Error{fmt::format("{} processes are called '{}': give one of the pids {}", found.size(), name, fmt::join(found, ", "))};
}

}  // namespace memswell::cli
