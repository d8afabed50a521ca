#include "cli/recorded_program.h"

#include <filesystem>

#include "workloads/native_run.h"

namespace memswell::cli {
namespace {

std::filesystem::path this_program() {
  std::error_code error;
  return std::filesystem::read_symlink("/proc/self/exe", error);
}

}  // namespace

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
  auto output = workloads::output_of(command, run.environment);
  if (output) return output;
  return Error{"under memswell, " + run.command[0] + " did not end well: " + output.error().sentence, output.error().exit_code};
}

}  // namespace memswell::cli
