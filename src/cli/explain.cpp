// memswell explain: the story of a recording.
#include "cli/command.h"
#include "cli/load.h"
#include "cli/output.h"
#include "report/story.h"

namespace memswell::cli {
namespace {

struct ExplainArguments {
  std::string file;
  report::ProcessChoice processes;
  bool all_ledgers = false;
  LoadOptions load;
};

Result<int> run(const ExplainArguments& arguments) {
  const auto run = load(arguments.file, arguments.load);
  if (!run) return run.error();
  if (const auto checked = check_process(*run, arguments.processes.pid); !checked) return checked.error();
  return print(report::story(*run, {.processes = arguments.processes, .all_ledgers = arguments.all_ledgers}, standard_output()));
}

Action declare(CommandLine& line) {
  const auto arguments = std::make_shared<ExplainArguments>();
  line.positional("FILE", arguments->file, "a recording of memswell run");
  declare_processes(line, arguments->processes);
  line.flag("--all-ledgers", arguments->all_ledgers, "print the ledger of every snapshot, not of the peak and the end only");
  declare_names(line, arguments->load);
  return [arguments] { return run(*arguments); };
}

}  // namespace

Command explain_command() {
  return {{.name = "explain",
           .synopsis = "[OPTIONS] FILE",
           .purpose = "Tells the story of a recording in order: its phases, every rise and fall of the footprint and what "
                      "it was made of, the ledger of resident bytes, and what would lower them.",
           .examples = {"memswell explain FILE                     the story of every process",
                        "memswell explain --process 4711 FILE      of one process",
                        "memswell explain --all-ledgers FILE       with the ledger of every snapshot"}},
          "why the footprint rose, fell, and what stayed",
          declare};
}

}  // namespace memswell::cli
