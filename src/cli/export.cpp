// memswell export: a recording in the formats of other tools.
#include "cli/command.h"
#include "cli/load.h"
#include "cli/output.h"
#include "report/exports.h"
#include "report/site_report.h"

namespace memswell::cli {
namespace {

struct ExportArguments {
  std::string file;
  std::string format;
  std::string sort = "peak";
  std::string output;
  bool force = false;
  std::optional<std::uint64_t> pid;
  LoadOptions load;
};

std::vector<std::string> format_names() {
  std::vector<std::string> names;
  for (const report::ExportFormat& format : report::export_formats()) names.emplace_back(format.name);
  return names;
}

std::string format_help() {
  std::string help = "for";
  for (const report::ExportFormat& format : report::export_formats())
    help += (help == "for" ? " " : "; ") + std::string(format.name) + ": " + std::string(format.words);
  return help;
}

Result<int> run(const ExportArguments& arguments) {
  if (arguments.format.empty()) return Error{"--format is missing; see memswell export --help", ExitCode::usage};
  const auto run = load(arguments.file, arguments.load);
  if (!run) return run.error();
  if (const auto checked = check_process(*run, arguments.pid); !checked) return checked.error();
  const report::ExportOptions options{.cost = *report::cost_named(arguments.sort), .pid = arguments.pid};
  for (const report::ExportFormat& format : report::export_formats()) {
    if (format.name != arguments.format) continue;
    if (format.binary && arguments.output.empty() && standard_output().interactive)
      return Error{arguments.format + " is no text for a terminal; name a file with -o", ExitCode::usage};
    return print_to(arguments.output, arguments.force, format.write(*run, options));
  }
  return Error{"memswell has no such export format", ExitCode::usage};
}

Action declare(CommandLine& line) {
  const auto arguments = std::make_shared<ExportArguments>();
  line.positional("FILE", arguments->file, "a recording of memswell run");
  line.choice("-f,--format", arguments->format, format_names(), format_help());
  line.choice("-s,--sort", arguments->sort, report::cost_names(), "the figure that stacks are weighted by");
  line.value("-o,--output", "FILE", arguments->output, "write there instead of standard output");
  line.flag("--force", arguments->force, "replace an existing file");
  line.number("--process", "PID", arguments->pid, "only this process");
  declare_names(line, arguments->load);
  return [arguments] { return run(*arguments); };
}

}  // namespace

Command export_command() {
  return {{.name = "export",
           .synopsis = "--format FORMAT [OPTIONS] FILE",
           .purpose = "Writes a recording in the format of another tool.",
           .examples = {"memswell export --format folded FILE | flamegraph.pl > peak.svg     a flame graph of the peak",
                        "memswell export --format sqlite -o peak.db FILE                     every table, for your own questions",
                        "memswell export --format speedscope -o peak.json FILE               open on speedscope.app",
                        "memswell export --format csv --sort unfreed FILE                    for a spreadsheet"}},
          "the formats of other tools: flame graphs, massif, pprof, csv, sqlite",
          declare};
}

}  // namespace memswell::cli
