#include "symbols/debuginfod.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>

#include "base/unique_fd.h"

namespace memswell::symbols {
namespace {

std::string read_all(int fd) {
  std::string text;
  std::array<char, 4096> buffer;
  for (ssize_t got; (got = read(fd, buffer.data(), buffer.size())) > 0;) {
    text.append(buffer.data(), static_cast<std::size_t>(got));
  }
  return text;
}

}  // namespace

std::optional<std::string> ask_debuginfod(const BuildId& id) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return std::nullopt;
  UniqueFd reading(ends[0]);
  UniqueFd writing(ends[1]);
  std::string program = "debuginfod-find", kind = "debuginfo", which = hex(id);
  char* arguments[] = {program.data(), kind.data(), which.data(), nullptr};

  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, writing.get(), STDOUT_FILENO);
  posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
  pid_t pid = -1;
  const int failed = posix_spawnp(&pid, program.c_str(), &actions, nullptr, arguments, environ);
  posix_spawn_file_actions_destroy(&actions);
  if (failed != 0) return std::nullopt;

  writing.reset();
  std::string path = read_all(reading.get());
  int status = 0;
  if (waitpid(pid, &status, 0) != pid || status != 0) return std::nullopt;
  while (!path.empty() && path.back() == '\n') path.pop_back();
  if (path.empty()) return std::nullopt;
  return path;
}

}  // namespace memswell::symbols
