// memswell check: hold a recording to limits.
#include "cli/command.h"
#include "cli/load.h"
#include "cli/output.h"
#include "report/limits.h"

namespace memswell::cli {
namespace {

struct CheckArguments {
  std::string file;
  std::vector<std::optional<Bytes>> most;  // parallel to limit_kinds()
  LoadOptions load;
};

Result<int> run(const CheckArguments& arguments) {
  std::vector<report::Limit> limits;
  for (std::size_t i = 0; i < arguments.most.size(); ++i) {
    if (arguments.most[i]) limits.push_back({&report::limit_kinds()[i], *arguments.most[i]});
  }
  if (limits.empty()) return Error{"no limit was given; see memswell check --help", ExitCode::usage};
  const auto run = load(arguments.file, arguments.load);
  if (!run) return run.error();
  const report::CheckOutcome outcome = report::check_limits(*run, limits, standard_output());
  const auto printed = print(outcome.text);
  if (!printed) return printed.error();
  return outcome.held ? 0 : static_cast<int>(ExitCode::check_failed);
}

Action declare(CommandLine& line) {
  const auto arguments = std::make_shared<CheckArguments>();
  arguments->load.page_ledgers = false;
  arguments->load.names = false;
  line.positional("FILE", arguments->file, "a recording of memswell run");
  arguments->most.resize(report::limit_kinds().size());
  for (std::size_t i = 0; i < arguments->most.size(); ++i) {
    const report::LimitKind& kind = report::limit_kinds()[i];
    const std::string help = std::string("fail if more: ") + kind.words;
    if (kind.in_bytes) {
      line.size(kind.option, arguments->most[i], help);
    } else {
      line.number(kind.option, "N", arguments->most[i], help);
    }
  }
  return [arguments] { return run(*arguments); };
}

}  // namespace

Command check_command() {
  return {{.name = "check",
           .synopsis = "LIMITS FILE",
           .purpose = "Compares a recording with limits, each of which every process has to keep. Exit code 1 if one does "
                      "not, for use in CI.",
           .examples = {"memswell check --max-peak-rss 200MiB FILE                    one limit",
                        "memswell check --max-unfreed 0 --max-calls 5000000 FILE      nothing left, few calls",
                        "memswell run -q -o t.swell -- ./test && memswell check --max-private-dirty 64MiB t.swell"}},
          "hold a recording to limits, for CI",
          declare};
}

}  // namespace memswell::cli
