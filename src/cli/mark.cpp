// memswell mark: begin a phase of a running recording, or put a number on its timeline.
#include <fmt/format.h>

#include <charconv>

#include "capture/record.h"
#include "cli/command.h"

namespace memswell::cli {
namespace {

struct MarkArguments {
  std::string name;
  std::optional<std::uint64_t> pid;
  std::optional<std::string> value;
  bool wait = false;
};

Result<std::int64_t> parse_value(const std::string& text) {
  std::int64_t value = 0;
  const auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error == std::errc() && rest == text.data() + text.size()) return value;
  return Error{fmt::format("--value '{}' is not a whole number", text), ExitCode::usage};
}

Result<int> run(const MarkArguments& arguments) {
  capture::MarkRequest request;
  request.name = arguments.name;
  request.wait = arguments.wait;
  if (arguments.pid) request.pid = static_cast<std::uint32_t>(*arguments.pid);
  if (arguments.value) {
    const auto value = parse_value(*arguments.value);
    if (!value) return value.error();
    request.value = *value;
  }
  if (const auto marked = capture::mark(request); !marked) return marked.error();
  return 0;
}

Action declare(CommandLine& line) {
  const auto arguments = std::make_shared<MarkArguments>();
  line.positional("NAME", arguments->name, "name of the phase that begins, or of the number");
  line.number("--pid", "PID", arguments->pid, "a process of the recording; otherwise the recording that this shell runs in");
  line.value("--value", "N", arguments->value, "put the number N on the timeline instead of beginning a phase");
  line.flag("--wait", arguments->wait, "return when the boundary is in the recording");
  return [arguments] { return run(*arguments); };
}

}  // namespace

Command mark_command() {
  return {{.name = "mark",
           .synopsis = "[OPTIONS] NAME",
           .purpose = "Begins a phase in a recording that is running, for all of its processes.",
           .examples = {"memswell mark load                          from a script that runs under memswell run",
                        "memswell mark --pid 4711 'after warm-up'    from another terminal",
                        "memswell mark --wait --value 1000 rows      a number of your own on the timeline"}},
          "begin a phase of a running recording",
          declare};
}

}  // namespace memswell::cli
