// memswell workload: the built-in workloads, their variants side by side, and why they differ.
#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "cli/command.h"
#include "cli/output.h"
#include "cli/real_seeds.h"
#include "cli/workload_run.h"
#include "cli/workload_text.h"

namespace memswell::cli {
namespace {

struct WorkloadArguments {
  std::string name = "list";
  std::vector<std::string> variants;
  std::vector<std::string> set;
  std::optional<std::string> passes, size;
  std::string directory = ".";
  bool all = false;
  bool json = false;
};

std::string names_of(const workloads::Workload& workload) {
  std::string names;
  for (const workloads::Variant& variant : workload.variants)
    names += (names.empty() ? "" : ", ") + std::string(variant.name);
  return names;
}

// The reference first, whatever the order of the words; with no words the standard variants.
Result<std::vector<const workloads::Variant*>> chosen(const workloads::Workload& workload,
                                                      const WorkloadArguments& arguments) {
  std::vector<const workloads::Variant*> out;
  for (const std::string& name : arguments.variants) {
    const workloads::Variant* variant = workloads::find_variant(workload, name);
    if (variant == nullptr)
      return Error{fmt::format("{} has no variant '{}'; it has {}", workload.name, name, names_of(workload)),
                   ExitCode::usage};
    if (std::ranges::find(out, variant) != out.end())
      return Error{fmt::format("--variant {} is given twice; a table has one column of it", name), ExitCode::usage};
    out.push_back(variant);
  }
  if (!out.empty()) return out;
  out.push_back(workloads::find_variant(workload, workload.reference));
  for (const workloads::Variant& variant : workload.variants) {
    if ((variant.standard || arguments.all) && variant.name != workload.reference) out.push_back(&variant);
  }
  return out;
}

// --passes and --size become the program's own options.
Result<std::vector<std::string>> changed(const workloads::Workload& workload, const WorkloadArguments& arguments) {
  std::vector<std::string> out;
  for (const auto& [given, option, flag] : {std::tuple{arguments.passes, workload.passes_option, "--passes"},
                                            std::tuple{arguments.size, workload.size_option, "--size"}}) {
    if (!given) continue;
    if (option.empty()) return Error{fmt::format("{} has nothing that {} would change", workload.name, flag), ExitCode::usage};
    out.push_back(fmt::format("{}={}", option, *given));
  }
  for (const std::string& word : arguments.set) {
    if (word.find('=') == std::string::npos)
      return Error{fmt::format("--set {} is no NAME=VALUE", word), ExitCode::usage};
    out.push_back(word);
  }
  return out;
}

// Of the options only -o and --json mean something without a workload.
Result<void> check_without_workload(const WorkloadArguments& arguments) {
  const bool some = !arguments.variants.empty() || !arguments.set.empty() || arguments.passes || arguments.size || arguments.all;
  if (!some) return {};
  return Error{arguments.name + " takes no --variant, --all, --passes, --size or --set: they are of one workload", ExitCode::usage};
}

Result<int> run(const WorkloadArguments& arguments) {
  const bool one = arguments.name != "list" && arguments.name != "real-seeds";
  if (const auto checked = one ? Result<void>{} : check_without_workload(arguments); !checked) return checked.error();
  if (arguments.name == "list") return print(workload_list(standard_output()));
  if (arguments.name == "real-seeds") return run_real_seeds(arguments.directory, arguments.json);
  WorkloadRequest request;
  request.workload = workloads::find_workload(arguments.name);
  if (request.workload == nullptr)
    return Error{fmt::format("there is no workload '{}'; see memswell workload list", arguments.name), ExitCode::usage};
  auto variants = chosen(*request.workload, arguments);
  if (!variants) return variants.error();
  auto options = changed(*request.workload, arguments);
  if (!options) return options.error();
  request.variants = std::move(*variants);
  request.changed = std::move(*options);
  request.directory = arguments.directory;
  const auto runs = run_variants(request);
  if (!runs) return runs.error();
  return print(arguments.json ? workload_json(*request.workload, *runs)
                              : workload_text(request, *runs, standard_output()));
}

Action declare(CommandLine& line) {
  const auto arguments = std::make_shared<WorkloadArguments>();
  line.optional_positional("list|NAME|real-seeds", arguments->name, "list the workloads (what happens without a word), or run one");
  line.values("--variant", "NAME", arguments->variants, "run this variant only; the first is the reference");
  line.flag("--all", arguments->all, "run the variants too that are left out otherwise");
  line.value("--passes", "N", arguments->passes, "how often the workload repeats itself");
  line.value("--size", "N", arguments->size, "how large it is: bytes, objects, strings, as it counts");
  line.values("--set", "NAME=VALUE", arguments->set, "any option of the program");
  line.value("-o,--output", "DIRECTORY", arguments->directory, "leave the recordings there; here if not given");
  line.flag("--json", arguments->json, "print figures, expectations and findings as JSON (docs/json.md)");
  return [arguments] { return run(*arguments); };
}

}  // namespace

Command workload_command() {
  return {{.name = "workload",
           .synopsis = "[OPTIONS] [list | NAME | real-seeds]",
           .purpose = "Runs a built-in workload: small programs that each show one thing about memory and know their own "
                      "truth. Every variant runs once alone, for its time, and once recorded; the table has them side by side, "
                      "and the explanation of each follows. Every run leaves its recording.",
           .examples = {"memswell workload list                                      what there is",
                        "memswell workload calloc-trap                               all variants, side by side",
                        "memswell workload append --variant glibc-exact-_ --size 300   one of them, smaller"}},
          "built-in workloads: how memory behaves, and that memswell sees it",
          declare};
}

}  // namespace memswell::cli
