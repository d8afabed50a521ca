// memswell compare: several recordings side by side; or a program, run for it.
#include <algorithm>
#include <list>

#include "cli/command.h"
#include "cli/load.h"
#include "cli/output.h"
#include "cli/repeated_runs.h"
#include "report/comparison.h"
#include "report/site_text.h"

namespace memswell::cli {
namespace {

struct CompareArguments {
  std::vector<std::string> files;
  std::vector<std::string> labels;
  std::string allocators;
  RepeatedRuns runs;
  bool json = false;
  LoadOptions load;
};

std::string label_of(const CompareArguments& arguments, std::size_t index) {
  if (index < arguments.labels.size()) return arguments.labels[index];
  std::string name(report::base_name(arguments.files[index]));
  constexpr std::string_view kSuffix = ".swell";
  if (name.size() > kSuffix.size() && name.ends_with(kSuffix)) name.resize(name.size() - kSuffix.size());
  return name;
}

// The files of the command line, or those that running the program makes.
Result<std::vector<LabelledRecording>> recordings(CompareArguments& arguments) {
  if (!arguments.runs.command.empty()) {
    if (!arguments.files.empty())
      return Error{"compare takes recordings or a program to run, not both; see memswell compare --help", ExitCode::usage};
    arguments.runs.allocators = parted(arguments.allocators, ',');
    if (arguments.runs.allocators.empty() && !arguments.allocators.empty())
      return Error{"--allocators names none", ExitCode::usage};
    return record_repeatedly(arguments.runs);
  }
  if (!arguments.allocators.empty() || arguments.runs.repeat != 1)
    return Error{"--allocators and --repeat need a program to run, after --", ExitCode::usage};
  if (arguments.files.size() < 2)
    return Error{"compare needs at least two recordings; see memswell compare --help", ExitCode::usage};
  std::vector<LabelledRecording> out;
  for (std::size_t i = 0; i < arguments.files.size(); ++i) out.push_back({label_of(arguments, i), arguments.files[i]});
  return out;
}

Result<int> run(CompareArguments& arguments) {
  const auto files = recordings(arguments);
  if (!files) return files.error();
  std::list<analysis::RunReport> reports;
  std::vector<report::ComparedRun> runs;
  for (const LabelledRecording& file : *files) {
    auto report = load(file.path, arguments.load);
    if (!report) return report.error();
    reports.push_back(std::move(*report));
    runs.push_back({file.label, &reports.back()});
  }
  if (arguments.json) return print(report::comparison_json(runs));
  return print(report::comparison(runs, standard_output()));
}

Action declare(CommandLine& line) {
  const auto arguments = std::make_shared<CompareArguments>();
  line.optional_positionals("FILE", arguments->files, "recordings; the first is the reference");
  line.program_after_dashes(arguments->runs.command);
  line.values("-l,--label", "NAME", arguments->labels,
              "heading of a column instead of the file's name, in the same order; recordings with one label make one column "
              "of medians and spreads");
  line.value("--allocators", "LIST", arguments->allocators,
             "run the program that follows under each of them: glibc, jemalloc, mimalloc, tcmalloc, or the path of a library, "
             "separated by commas");
  line.count("--repeat", arguments->runs.repeat, "run the program that follows N times, under each allocator");
  line.value("-o,--output", "DIRECTORY", arguments->runs.directory, "leave the recordings of these runs there; here if not given");
  line.flag("--json", arguments->json, "print the figures as JSON (docs/json.md)");
  declare_names(line, arguments->load);
  return [arguments] { return run(*arguments); };
}

}  // namespace

Command compare_command() {
  return {{.name = "compare",
           .synopsis = "[OPTIONS] FILE FILE …   or   [OPTIONS] --allocators LIST | --repeat N -- PROG [ARGUMENTS …]",
           .purpose = "Prints recordings side by side, the first marked (*) as the reference, the others with a percentage "
                      "where they differ by 5 % or more, and \"no difference\" where the spread of repeated runs covers it; then "
                      "the ledger rows and call sites that changed most. Of the rows, overallocated is what the program "
                      "told that it requested and does not use (memswell_used); untouched is what lies in live blocks on "
                      "pages that nobody has touched, at the peak; retained is what was freed and is still resident at "
                      "the end. ± is how far the farthest of repeated runs is from the median.",
           .examples = {"memswell compare before.swell after.swell                      two versions of a program",
                        "memswell compare --allocators glibc,jemalloc -- ./server      one program, two allocators",
                        "memswell compare -l a -l a -l b -l b 1.swell 2.swell 3.swell 4.swell   medians of two runs each"}},
          "recordings side by side, or a program under several allocators",
          declare};
}

}  // namespace memswell::cli
