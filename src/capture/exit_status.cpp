#include "capture/exit_status.h"

#include <poll.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <string>

namespace memswell::capture {
namespace {

// linux/pidfd.h of 6.15; the headers of the build machine may be older.
struct PidfdInfo {
  std::uint64_t mask;
  std::uint64_t cgroup_id;
  std::uint32_t pid, tgid, ppid, ruid, rgid, euid, egid, suid, sgid, fsuid, fsgid;
  std::int32_t exit_code;
};
static_assert(sizeof(PidfdInfo) == 64);
constexpr std::uint64_t kInfoExit = 1 << 3;
const unsigned long kGetInfo = _IOWR(0xFF, 11, PidfdInfo);

struct ZombieStat {
  char state = '\0';
  std::string last_field;  // exit_code, field 52
};

ZombieStat read_stat(pid_t pid) {
  std::ifstream file("/proc/" + std::to_string(pid) + "/stat");
  std::string line;
  std::getline(file, line);
  const std::size_t name_end = line.rfind(") ");
  if (name_end == std::string::npos || name_end + 2 >= line.size()) return {};
  return {line[name_end + 2], line.substr(line.rfind(' ') + 1)};
}

}  // namespace

ExitStatus exit_status_of(int status) {
  if (WIFEXITED(status)) return {trace::EndReason::exited, WEXITSTATUS(status), 0};
  if (WIFSIGNALED(status)) return {trace::EndReason::signalled, -1, WTERMSIG(status)};
  return {};
}

ExitStatus read_exit_status(const UniqueFd& pidfd, pid_t pid) {
  PidfdInfo info{};
  info.mask = kInfoExit;
  if (pidfd && ioctl(pidfd.get(), kGetInfo, &info) == 0 && (info.mask & kInfoExit) != 0)
    return exit_status_of(info.exit_code);
  const ZombieStat stat = read_stat(pid);
  if (stat.state != 'Z') return {};
  // The kernel shows 0 to readers without the right to trace the process (fs/proc/array.c): 0 says nothing then.
  const int status = std::atoi(stat.last_field.c_str());
  if (status == 0 && geteuid() != 0) return {};
  return exit_status_of(status);
}

bool has_ended(const UniqueFd& pidfd) {
  pollfd polled{pidfd.get(), POLLIN, 0};
  return poll(&polled, 1, 0) > 0;
}

bool is_running(pid_t pid) {
  const char state = read_stat(pid).state;
  return state != '\0' && state != 'Z' && state != 'X';
}

bool is_zombie(pid_t pid) { return read_stat(pid).state == 'Z'; }

}  // namespace memswell::capture
