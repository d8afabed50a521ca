#include "capture/launcher.h"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string_view>
#include <utility>

#include "base/inherited.h"

namespace memswell::capture {
namespace {

struct Pipe {
  UniqueFd read;
  UniqueFd write;
};

std::optional<Pipe> make_pipe() {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return std::nullopt;
  return Pipe{UniqueFd(ends[0]), UniqueFd(ends[1])};
}

std::vector<char*> pointers_to(std::vector<std::string>& texts) {
  std::vector<char*> pointers;
  for (std::string& text : texts) pointers.push_back(text.data());
  pointers.push_back(nullptr);
  return pointers;
}

ssize_t read_whole(int fd, void* to, std::size_t bytes) {
  ssize_t received;
  do received = read(fd, to, bytes);
  while (received < 0 && errno == EINTR);
  return received;
}

[[noreturn]] void run_child(const Launch& launch, int go, int exec_error) {
  char word;
  if (read_whole(go, &word, 1) != 1) _exit(0);
  if (launch.stdout_fd >= 0) dup2(launch.stdout_fd, STDOUT_FILENO);
  if (launch.stderr_fd >= 0) dup2(launch.stderr_fd, STDERR_FILENO);
  std::vector<std::string> command = launch.command;
  std::vector<std::string> environment = program_environment(launch);
  restore_inherited();
  execvpe(command[0].c_str(), pointers_to(command).data(), pointers_to(environment).data());
  const int error = errno;
  static_cast<void>(!write(exec_error, &error, sizeof error));
  _exit(127);
}

Error exec_failure(const std::string& program, int error) {
  const ExitCode code = error == ENOENT ? ExitCode::not_found : ExitCode::not_executable;
  return {"cannot run " + program + ": " + std::strerror(error) + ".", code};
}

}  // namespace

std::vector<std::string> program_environment(const Launch& launch) {
  std::vector<std::string> environment;
  std::string preload = launch.probe;
  for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
    const std::string_view text = *entry;
    constexpr std::string_view kPreload = "LD_PRELOAD=";
    if (!launch.probe.empty() && text.starts_with(kPreload)) {
      if (text.size() > kPreload.size()) preload += ":" + std::string(text.substr(kPreload.size()));
      continue;
    }
    if (text.starts_with("MEMSWELL_REGION=")) continue;  // of a recording around this one
    environment.emplace_back(text);
  }
  if (launch.probe.empty()) return environment;
  environment.push_back("LD_PRELOAD=" + preload);
  environment.push_back("MEMSWELL_REGION=" + launch.region_address);
  return environment;
}

Result<PendingProgram> PendingProgram::fork_program(const Launch& launch) {
  auto go = make_pipe();
  auto exec_error = make_pipe();
  if (!go || !exec_error) return Error{std::string("cannot make a pipe: ") + std::strerror(errno) + "."};
  const pid_t pid = fork();
  if (pid < 0) return Error{std::string("cannot start a process: ") + std::strerror(errno) + "."};
  if (pid == 0) {
    go->write.reset();
    exec_error->read.reset();
    run_child(launch, go->read.get(), exec_error->write.get());
  }
  return PendingProgram(pid, std::move(go->write), std::move(exec_error->read));
}

Result<void> PendingProgram::go(const std::string& name) {
  static_cast<void>(!write(go_.get(), "g", 1));
  go_.reset();
  int error = 0;
  if (read_whole(exec_error_.get(), &error, sizeof error) != static_cast<ssize_t>(sizeof error)) return {};
  waitpid(pid_, nullptr, 0);
  return exec_failure(name, error);
}

}  // namespace memswell::capture
