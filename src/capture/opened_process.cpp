#include "capture/opened_process.h"

#include <sys/syscall.h>
#include <unistd.h>

#include <fstream>

#include "probes/smaps/stat_parser.h"

namespace memswell::capture {
namespace {

std::vector<std::string> read_command(pid_t pid) {
  std::ifstream file("/proc/" + std::to_string(pid) + "/cmdline", std::ios::binary);
  std::vector<std::string> command;
  for (std::string argument; std::getline(file, argument, '\0');) command.push_back(argument);
  return command;
}

std::uint32_t read_parent_pid(const smaps::LinuxSampler& sampler) {
  smaps::ReadBuffer buffer;
  const auto text = sampler.files().read("stat", buffer);
  if (!text || !*text) return 0;
  const auto stat = smaps::parse_stat(**text);
  return stat ? static_cast<std::uint32_t>(stat->ppid) : 0;
}

}  // namespace

std::string read_executable(pid_t pid) {
  char target[4096];
  const ssize_t length = readlink(("/proc/" + std::to_string(pid) + "/exe").c_str(), target, sizeof target);
  return length <= 0 ? std::string() : std::string(target, static_cast<std::size_t>(length));
}

OpenedProcess open_process(pid_t pid) {
  OpenedProcess process;
  process.pid = pid;
  process.pidfd.reset(static_cast<int>(syscall(SYS_pidfd_open, pid, 0)));
  if (!process.pidfd) return process;
  auto files = smaps::ProcessFiles::open(pid);
  if (files && *files) {
    process.sampler = std::make_unique<smaps::LinuxSampler>(std::move(**files));
    process.parent_pid = read_parent_pid(*process.sampler);
  }
  process.executable = read_executable(pid);
  process.command = read_command(pid);
  return process;
}

}  // namespace memswell::capture
