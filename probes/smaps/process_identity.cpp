#include "probes/smaps/process_identity.h"

#include <sys/syscall.h>
#include <unistd.h>

#include "probes/smaps/stat_parser.h"

namespace memswell::smaps {

std::vector<std::string> parse_command_line(std::string_view text) {
  std::vector<std::string> arguments;
  while (!text.empty()) {
    const auto end = text.find('\0');
    arguments.emplace_back(text.substr(0, end));
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  }
  return arguments;
}

Result<std::optional<ProcessIdentity>> identify(const ProcessFiles& files) {
  ReadBuffer buffer;
  const auto stat_text = files.read("stat", buffer);
  if (!stat_text) return stat_text.error();
  if (!*stat_text) return std::optional<ProcessIdentity>();
  auto stat = parse_stat(**stat_text);
  if (!stat) return stat.error();
  ProcessIdentity identity{files.pid(), stat->ppid, stat->start_time_ticks, std::move(stat->comm), {}, {}};
  // Another user's executable cannot be read, which is no reason to know nothing of the process.
  if (auto link = files.read_link("exe"); link && *link) identity.executable = std::move(**link);
  if (const auto text = files.read("cmdline", buffer); text && *text) identity.command = parse_command_line(**text);
  return std::optional(std::move(identity));
}

bool is_alive(std::int32_t pid, std::uint64_t start_time_ticks) {
  const auto files = ProcessFiles::open(pid);
  if (!files || !*files) return false;
  ReadBuffer buffer;
  const auto text = (*files)->read("stat", buffer);
  if (!text || !*text) return false;
  const auto stat = parse_stat(**text);
  if (!stat || (start_time_ticks != 0 && stat->start_time_ticks != start_time_ticks)) return false;
  // A first thread that has ended before the others looks like a zombie, but still counts them.
  const bool ended = stat->state == 'Z' || stat->state == 'X';
  return !ended || stat->threads > 1;
}

UniqueFd open_pidfd(std::int32_t pid) {
#ifdef SYS_pidfd_open
  return UniqueFd(static_cast<int>(::syscall(SYS_pidfd_open, pid, 0)));
#else
  static_cast<void>(pid);
  return UniqueFd();
#endif
}

}  // namespace memswell::smaps
