// memswell compare: several recordings side by side.
#include <algorithm>
#include <list>

#include "cli/command.h"
#include "cli/load.h"
#include "cli/output.h"
#include "report/comparison.h"
#include "report/site_text.h"

namespace memswell::cli {
namespace {

struct CompareArguments {
  std::vector<std::string> files;
  std::vector<std::string> labels;
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

Result<int> run(const CompareArguments& arguments) {
  if (arguments.files.size() < 2)
    return Error{"compare needs at least two recordings; see memswell compare --help", ExitCode::usage};
  std::list<analysis::RunReport> reports;
  std::vector<report::ComparedRun> runs;
  for (std::size_t i = 0; i < arguments.files.size(); ++i) {
    auto report = load(arguments.files[i], arguments.load);
    if (!report) return report.error();
    reports.push_back(std::move(*report));
    runs.push_back({label_of(arguments, i), &reports.back()});
  }
  if (arguments.json) return print(report::comparison_json(runs));
  return print(report::comparison(runs, standard_output()));
}

Action declare(CommandLine& line) {
  const auto arguments = std::make_shared<CompareArguments>();
  line.positionals("FILE", arguments->files, "recordings; the first is the reference");
  line.values("-l,--label", "NAME", arguments->labels, "heading of a column instead of the file's name, in the same order");
  line.flag("--json", arguments->json, "print the figures as JSON (docs/json.md)");
  declare_names(line, arguments->load);
  return [arguments] { return run(*arguments); };
}

}  // namespace

Command compare_command() {
  return {{.name = "compare",
           .synopsis = "[OPTIONS] FILE FILE …",
           .purpose = "Prints recordings side by side, the first marked (*) as the reference, the others with a percentage "
                      "where they differ by 5 % or more; then the ledger rows and call sites that changed most.",
           .examples = {"memswell compare before.swell after.swell                   two versions of a program",
                        "memswell compare -l glibc -l jemalloc a.swell b.swell       with headings of your own",
                        "memswell compare --json a.swell b.swell c.swell             the figures for a script"}},
          "recordings side by side",
          declare};
}

}  // namespace memswell::cli
