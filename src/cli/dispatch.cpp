#include <fmt/format.h>

#include <algorithm>

#include "cli/command.h"
#include "cli/output.h"
#include "cli/version.h"

namespace memswell::cli {
namespace {

using MakeCommand = Command (*)();
constexpr MakeCommand kCommands[] = {run_command,    report_command,  explain_command, timeline_command,
                                     export_command, compare_command, check_command,   mark_command,
                                     watch_command,  doctor_command, workload_command};

std::string overview() {
  std::string out =
      "Examples:\n"
      "  memswell run -- python3 build_index.py         record a program, say what its memory did\n"
      "  memswell explain memswell.python3.4711.swell   why the footprint rose, fell, and what stayed\n"
      "  memswell report memswell.python3.4711.swell    where it was allocated\n"
      "\nmemswell says what the resident memory of a program is made of, call by call and page by page.\n"
      "\nUsage: memswell COMMAND …   or   memswell -- PROG …   (the same as memswell run)\n\nCommands:\n";
  for (const MakeCommand make : kCommands) {
    const Command command = make();
    out += fmt::format("  {:<12}{}\n", command.usage.name, command.summary);
  }
  return out + "\nEvery command explains itself: memswell COMMAND --help. Exit codes: memswell(1).\n";
}

std::optional<Command> find(const std::string& name) {
  for (const MakeCommand make : kCommands) {
    Command command = make();
    if (command.usage.name == name) return command;
  }
  return std::nullopt;
}

Result<int> carry_out(Command command, const std::vector<std::string>& arguments) {
  command.usage.name = "memswell " + command.usage.name;
  CommandLine line(command.usage);
  bool no_colour = false;
  const Action action = command.declare(line);
  line.flag("--no-color", no_colour, "never colour; the environment variable NO_COLOR does the same");
  const auto outcome = line.parse(arguments);
  if (!outcome) return outcome.error();
  if (*outcome == CommandLine::Outcome::help_wanted) return print(line.help(standard_output().width));
  if (no_colour) switch_colours_off();
  return action();
}

}  // namespace

Result<int> dispatch(const std::vector<std::string>& arguments) {
  if (arguments.empty()) return Error{"no command was given; see memswell --help", ExitCode::usage};
  const std::string& name = arguments[0];
  if (name == "-h" || name == "--help" || name == "help") return print(overview());
  if (name == "--version") return print(fmt::format("memswell {}\n", kVersion));
  if (name == "--") return carry_out(run_command(), arguments);
  if (auto command = find(name)) return carry_out(std::move(*command), {arguments.begin() + 1, arguments.end()});
  return Error{fmt::format("memswell has no command '{}'; to record a program of that name: memswell run {} …", name, name),
               ExitCode::usage};
}

}  // namespace memswell::cli
