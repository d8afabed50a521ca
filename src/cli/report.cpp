// memswell report: where memory was allocated.
#include "cli/command.h"
#include "cli/load.h"
#include "cli/output.h"
#include "report/html_report.h"
#include "report/json_report.h"
#include "report/site_report.h"

namespace memswell::cli {
namespace {

struct ReportArguments {
  std::string file;
  std::string sort = "peak";
  std::string tree;
  std::uint64_t top = 10;
  report::ProcessChoice processes;
  std::string output;
  bool force = false;
  bool stacks = false;
  bool json = false;
  bool html = false;
  LoadOptions load;
};

Result<int> run(const ReportArguments& arguments) {
  if (arguments.json && arguments.html) return Error{"--json and --html are two reports; ask for one", ExitCode::usage};
  const auto run = load(arguments.file, arguments.load);
  if (!run) return run.error();
  if (const auto checked = check_process(*run, arguments.processes.pid); !checked) return checked.error();
  if (arguments.json) return print_to(arguments.output, arguments.force, report::json_report(*run));
  if (arguments.html)
    return print_to(arguments.output, arguments.force, report::html_report(*run, arguments.processes));
  report::SiteReportOptions options;
  options.cost = *report::cost_named(arguments.sort);
  options.top = arguments.top;
  options.processes = arguments.processes;
  options.stacks = arguments.stacks;
  if (!arguments.tree.empty())
    options.tree = arguments.tree == "top-down" ? analysis::Direction::top_down : analysis::Direction::bottom_up;
  return print_to(arguments.output, arguments.force, report::site_report(*run, options, standard_output()));
}

Action declare(CommandLine& line) {
  const auto arguments = std::make_shared<ReportArguments>();
  line.positional("FILE", arguments->file, "a recording of memswell run");
  line.choice("-s,--sort", arguments->sort, report::cost_names(),
              "by what was live at the peak, the largest each held at its own peak, allocated in all, calls, temporary "
              "blocks, blocks never freed, or the allocator's rounding");
  line.count("-n,--top", arguments->top, "print N sites or branches; 10 if not given");
  line.choice("--tree", arguments->tree, {"top-down", "bottom-up"}, "print call trees instead of a table");
  line.flag("--stack", arguments->stacks, "print the stack with most bytes below each site");
  declare_processes(line, arguments->processes);
  line.flag("--json", arguments->json, "print everything as JSON (docs/json.md)");
  line.flag("--html", arguments->html, "write one HTML file for a browser: footprint, ledgers, findings, sites, flame graph");
  line.value("-o,--output", "FILE", arguments->output, "write there instead of standard output");
  line.flag("--force", arguments->force, "replace an existing file");
  declare_names(line, arguments->load);
  return [arguments] { return run(*arguments); };
}

}  // namespace

Command report_command() {
  return {{.name = "report",
           .synopsis = "[OPTIONS] FILE",
           .purpose = "Prints the call sites of a recording: what each allocated, held at the peak, and never freed. A site "
                      "is the innermost function outside of memory plumbing (malloc, operator new, std::, g_malloc …).",
           .examples = {"memswell report FILE                                  the ten largest sites at the peak",
                        "memswell report --html -o peak.html FILE              everything, for a browser",
                        "memswell report --sort unfreed --stack FILE           what was not freed, with full stacks",
                        "memswell report --tree bottom-up --top 5 FILE         who called the five largest"}},
          "where memory was allocated: sites, stacks, call trees",
          declare};
}

}  // namespace memswell::cli
