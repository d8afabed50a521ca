// memswell timeline: the footprint row by row.
#include <fmt/format.h>

#include "base/log.h"
#include "cli/command.h"
#include "cli/load.h"
#include "cli/output.h"
#include "report/selection.h"
#include "report/text_graph.h"
#include "report/timeline.h"

namespace memswell::cli {
namespace {

struct TimelineArguments {
  std::string file;
  std::string format = "table";
  std::string at = "samples";
  report::TimelineSelection selection;
  report::ProcessChoice processes;
  bool per_mapping = false;
  bool graph = false;
  LoadOptions load;
};

using Processes = std::vector<const analysis::ProcessReport*>;

std::string tables(const Processes& processes, const TimelineArguments& arguments) {
  const report::Terminal terminal = standard_output();
  std::string out;
  for (const analysis::ProcessReport* process : processes) {
    if (!out.empty()) out += "\n";
    if ((arguments.graph || terminal.interactive) && !arguments.per_mapping)
      out += report::text_graph(*process, terminal) + "\n";
    out += report::timeline_table(*process, arguments.selection, terminal);
  }
  return out;
}

std::string smaps_lines(const Processes& processes, const TimelineArguments& arguments) {
  std::string out;
  for (const analysis::ProcessReport* process : processes) {
    const std::string lines = report::timeline_smaps(*process, arguments.selection);
    if (processes.size() > 1 && !lines.empty()) out += fmt::format("# pid {}\n", process->pid);
    out += lines;
  }
  if (out.empty()) log::note("no row of this recording has smaps figures at the moments asked for; try --at samples");
  return out;
}

Result<int> run(TimelineArguments& arguments) {
  if (arguments.per_mapping && arguments.format == "smaps")
    return Error{"--per-mapping has no smaps format; choose table, csv or json", ExitCode::usage};
  arguments.selection.at = arguments.at == "marks" ? report::TimelineAt::marks : report::TimelineAt::samples;
  arguments.selection.per_mapping = arguments.per_mapping ? report::PerMapping::yes : report::PerMapping::no;
  arguments.load.keep_mappings = arguments.per_mapping;
  const auto run = load(arguments.file, arguments.load);
  if (!run) return run.error();
  if (const auto checked = check_process(*run, arguments.processes.pid); !checked) return checked.error();
  const Processes every = report::processes_with(*run, arguments.processes.pid);
  if (arguments.format == "csv") return print(report::timeline_csv(every, arguments.selection));
  if (arguments.format == "json") return print(report::timeline_json(every, arguments.selection));
  const Processes chosen = report::chosen_processes(*run, arguments.processes);
  if (arguments.format == "smaps") return print(smaps_lines(chosen, arguments));
  return print(tables(chosen, arguments) + report::left_out_text(*run, arguments.processes));
}

Action declare(CommandLine& line) {
  const auto arguments = std::make_shared<TimelineArguments>();
  arguments->load.page_ledgers = false;
  arguments->load.names = false;
  line.positional("FILE", arguments->file, "a recording of memswell run");
  line.choice("-f,--format", arguments->format, {"table", "csv", "json", "smaps"},
              "smaps: one line a row in the manner of Linux::Smaps, with the values of memswell_mark_value");
  line.choice("--at", arguments->at, {"samples", "marks"}, "every row, or those with a phase, mark or value");
  line.duration("--every", arguments->selection.every, "rows at least this far apart; rows with marks always stay");
  line.flag("--per-mapping", arguments->per_mapping, "the rows of each mapping where the full smaps was read");
  declare_processes(line, arguments->processes);
  line.flag("--graph", arguments->graph, "draw the curve of the footprint (always on a terminal)");
  return [arguments] { return run(*arguments); };
}

}  // namespace

Command timeline_command() {
  return {{.name = "timeline",
           .synopsis = "[OPTIONS] FILE",
           .purpose = "Prints the footprint over time: size, rss, pss, shared and private pages, swap, and what the program "
                      "had asked for at that moment, in kB as smaps counts. memswell's own pages are left out.",
           .examples = {"memswell timeline FILE                                a table, and a graph on a terminal",
                        "memswell timeline --format smaps --at marks FILE      a line a mark, as Linux::Smaps prints",
                        "memswell timeline --per-mapping --every 1s FILE       every mapping, once a second"}},
          "the footprint over time, in the columns of smaps",
          declare};
}

}  // namespace memswell::cli
