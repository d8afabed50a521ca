#include "tests/support/subprocess.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <stdexcept>
#include <utility>

namespace memswell::tests {
namespace {

using Clock = std::chrono::steady_clock;

std::FILE* scratch_file(const std::string& content) {
  std::FILE* file = std::tmpfile();
  if (file == nullptr) throw std::runtime_error("no temporary file could be made");
  std::fwrite(content.data(), 1, content.size(), file);
  std::rewind(file);
  return file;
}

std::string content_of(std::FILE* file) {
  std::string text;
  std::rewind(file);
  char buffer[65536];
  for (std::size_t n; (n = std::fread(buffer, 1, sizeof buffer, file)) > 0;) text.append(buffer, n);
  std::fclose(file);
  return text;
}

[[noreturn]] void become(const Command& command, std::FILE* in, std::FILE* out, std::FILE* err) {
  ::setpgid(0, 0);
  ::dup2(::fileno(in), 0);
  ::dup2(::fileno(out), 1);
  ::dup2(::fileno(err), 2);
  ::close_range(3, ~0U, 0);
  if (!command.working_directory.empty() && ::chdir(command.working_directory.c_str()) != 0) ::_exit(126);
  for (const auto& [name, value] : command.environment) ::setenv(name.c_str(), value.c_str(), 1);
  std::vector<char*> argv;
  for (const std::string& word : command.argv) argv.push_back(const_cast<char*>(word.c_str()));
  argv.push_back(nullptr);
  ::execvp(argv[0], argv.data());
  ::_exit(127);
}

// Waits for the process itself, not for the end of its output: a daemon that it left behind may hold that for long.
int wait_until(pid_t pid, Clock::time_point deadline, bool* timed_out) {
  const int pidfd = static_cast<int>(::syscall(SYS_pidfd_open, pid, 0));
  const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now());
  pollfd event{pidfd, POLLIN, 0};
  int ready = 0;
  while ((ready = ::poll(&event, 1, static_cast<int>(left.count()))) < 0 && errno == EINTR) {
  }
  ::close(pidfd);
  *timed_out = ready == 0;
  if (*timed_out) ::kill(-pid, SIGKILL);
  int status = 0;
  while (::waitpid(pid, &status, 0) < 0 && errno == EINTR) {
  }
  return status;
}

}  // namespace

Finished run(const Command& command) {
  std::FILE* in = scratch_file(command.input);
  std::FILE* out = scratch_file("");
  std::FILE* err = scratch_file("");
  const Clock::time_point deadline = Clock::now() + command.limit;
  const pid_t pid = ::fork();
  if (pid < 0) throw std::runtime_error("fork failed");
  if (pid == 0) become(command, in, out, err);
  Finished finished;
  const int status = wait_until(pid, deadline, &finished.timed_out);
  if (WIFEXITED(status)) finished.exit_code = WEXITSTATUS(status);
  if (WIFSIGNALED(status)) finished.signal = WTERMSIG(status);
  std::fclose(in);
  finished.out = content_of(out);
  finished.err = content_of(err);
  return finished;
}

TemporaryFolder::TemporaryFolder() {
  std::string pattern = std::filesystem::temp_directory_path() / "memswell-test.XXXXXX";
  if (::mkdtemp(pattern.data()) == nullptr) throw std::runtime_error("no temporary folder could be made");
  path_ = std::move(pattern);
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

}  // namespace memswell::tests
