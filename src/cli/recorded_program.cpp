#include "cli/recorded_program.h"

#include <fmt/format.h>

#include <cstring>
#include <filesystem>

#include "workloads/native_run.h"

namespace memswell::cli {
namespace {

std::filesystem::path this_program() {
  std::error_code error;
  return std::filesystem::read_symlink("/proc/self/exe", error);
}

// memswell run passes the program's ending through; that it could not be run, it has said itself.
Error failure(const std::string& program, const workloads::Ending& ending) {
  if (ending.signal != 0)
    return {fmt::format("{} was ended by signal {} ({})", program, ending.signal, ::strsignal(ending.signal))};
  const auto code = static_cast<ExitCode>(ending.exit_code);
  const bool not_run = code == ExitCode::not_executable || code == ExitCode::not_found;
  return {fmt::format("{} ended with status {}: what fails is not compared", program, ending.exit_code),
          not_run ? code : ExitCode::own_failure};
}

}  // namespace

Result<void> check_directory(const std::string& directory) {
  std::error_code error;
  if (std::filesystem::is_directory(directory, error)) return {};
  return Error{directory + " is no directory to leave recordings in; name another with -o", ExitCode::usage};
}

std::string part_of_memswell(const std::string& name) {
  return this_program().parent_path().parent_path() / "lib" / "memswell" / name;
}

// In a process of its own, as the recorder forks from a small one, and as LD_PRELOAD must not touch ours.
Result<std::string> record_program(const ProgramRun& run) {
  std::vector<std::string> command{this_program(), "run", "-q", "--force", "-o"};
  std::string path;
  for (const char c : run.recording) path += c == '%' ? std::string("%%") : std::string(1, c);
  command.push_back(path);
  command.insert(command.end(), run.options.begin(), run.options.end());
  command.emplace_back("--");
  command.insert(command.end(), run.command.begin(), run.command.end());
  auto ending = workloads::run_to_end(command, run.environment);
  if (!ending) return ending.error();
  if (ending->signal == 0 && ending->exit_code == 0) return std::move(ending->output);
  return failure(run.command[0], *ending);
}

}  // namespace memswell::cli
