#include "workloads/native_run.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <optional>
#include <sstream>

#include "base/unique_fd.h"

extern char** environ;

namespace memswell::workloads {
namespace {

std::string read_all(int fd) {
  std::string text;
  char piece[65536];
  for (ssize_t n; (n = ::read(fd, piece, sizeof piece)) > 0 || (n < 0 && errno == EINTR);) {
    if (n > 0) text.append(piece, static_cast<std::size_t>(n));
  }
  return text;
}

// As execve wants them; they point into `all`.
std::vector<char*> pointers(const std::vector<std::string>& all) {
  std::vector<char*> out;
  for (const std::string& word : all) out.push_back(const_cast<char*>(word.c_str()));
  out.push_back(nullptr);
  return out;
}

// Our environment, less the names that `changed` sets, and `changed`.
std::vector<std::string> environment_with(const std::vector<std::string>& changed) {
  std::vector<std::string> all = changed;
  for (char** variable = environ; *variable != nullptr; ++variable) {
    const std::string_view text(*variable);
    const std::string_view name = text.substr(0, text.find('=') + 1);
    const bool replaced = std::ranges::any_of(changed, [&](const std::string& c) { return c.starts_with(name); });
    if (!replaced) all.emplace_back(text);
  }
  return all;
}

// `errors`: -1 leaves stderr as it is.
Result<pid_t> start(const std::vector<std::string>& command, const std::vector<std::string>& changed, int output,
                    int errors) {
  std::vector<char*> arguments = pointers(command);
  const std::vector<std::string> environment = environment_with(changed);
  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO);
  if (errors >= 0) ::posix_spawn_file_actions_adddup2(&actions, errors, STDERR_FILENO);
  pid_t pid = -1;
  const int failed = ::posix_spawnp(&pid, arguments[0], &actions, nullptr, arguments.data(), pointers(environment).data());
  ::posix_spawn_file_actions_destroy(&actions);
  if (failed != 0) return Error{fmt::format("cannot run {}: {}", command[0], std::strerror(failed)), ExitCode::not_found};
  return pid;
}

std::optional<Error> failure(const std::string& program, const Ending& ending) {
  if (ending.signal != 0)
    return Error{fmt::format("{} was ended by signal {} ({})", program, ending.signal, ::strsignal(ending.signal))};
  if (ending.exit_code != 0) return Error{fmt::format("{} ended with status {}", program, ending.exit_code)};
  return std::nullopt;
}

}  // namespace

std::vector<std::string> words(std::string_view arguments) {
  std::istringstream stream{std::string(arguments)};
  std::vector<std::string> all;
  for (std::string word; stream >> word;) all.push_back(word);
  return all;
}

Result<Ending> run_to_end(const std::vector<std::string>& command, const std::vector<std::string>& environment,
                          Errors errors) {
  // A file, not a second pipe: one that nobody reads would stop the program when it is full.
  UniqueFd kept(errors == Errors::kept ? ::memfd_create("stderr", MFD_CLOEXEC) : -1);
  if (errors == Errors::kept && kept.get() < 0) return Error{fmt::format("cannot make a file in memory: {}", std::strerror(errno))};
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return Error{fmt::format("cannot make a pipe: {}", std::strerror(errno))};
  UniqueFd reading(ends[0]), writing(ends[1]);
  const Result<pid_t> pid = start(command, environment, writing.get(), kept.get());
  if (!pid) return pid.error();
  writing.reset();
  Ending ending;
  ending.output = read_all(reading.get());
  int status = 0;
  while (::waitpid(*pid, &status, 0) < 0 && errno == EINTR) continue;
  if (WIFEXITED(status)) ending.exit_code = WEXITSTATUS(status);
  else ending.signal = WTERMSIG(status);
  if (kept.get() >= 0 && ::lseek(kept.get(), 0, SEEK_SET) == 0) ending.errors = read_all(kept.get());
  return ending;
}

Result<std::string> output_of(const std::vector<std::string>& command, const std::vector<std::string>& environment) {
  Result<Ending> ending = run_to_end(command, environment);
  if (!ending) return ending.error();
  if (const auto failed = failure(command[0], *ending)) return *failed;
  return std::move(ending->output);
}

Result<Truth> run_natively(const std::string& program, const std::vector<std::string>& arguments) {
  std::vector<std::string> command{program};
  command.insert(command.end(), arguments.begin(), arguments.end());
  const Result<Ending> ending = run_to_end(command, {}, Errors::kept);
  if (!ending) return ending.error();
  const auto usage = static_cast<int>(ExitCode::usage);
  if (ending->exit_code == usage && !ending->errors.empty())
    return Error{ending->errors.substr(0, ending->errors.find('\n')), ExitCode::usage};
  if (const auto failed = failure(program, *ending)) return *failed;
  return parse_truth(ending->output);
}

}  // namespace memswell::workloads
