#include "cli/workload_run.h"

#include <fmt/format.h>
#include <unistd.h>

#include "cli/load.h"
#include "cli/output.h"
#include "cli/recorded_program.h"
#include "workloads/machine.h"
#include "workloads/native_run.h"

namespace memswell::cli {
namespace {

// Later arguments win in the programs, but a clean command line is one that can be repeated.
std::vector<std::string> arguments_of(const workloads::Variant& variant, const std::vector<std::string>& changed) {
  std::vector<std::string> all;
  for (const std::string& argument : workloads::words(variant.arguments)) {
    const std::string name = argument.substr(0, argument.find('=') + 1);
    bool replaced = false;
    for (const std::string& other : changed) replaced = replaced || other.starts_with(name);
    if (!replaced) all.push_back(argument);
  }
  all.insert(all.end(), changed.begin(), changed.end());
  return all;
}

// The program speaks of its own options; the person wrote others.
Error in_words_of(const WorkloadRequest& request, Error error) {
  if (error.exit_code != ExitCode::usage) return error;
  for (const auto& [option, flag] : {std::pair{request.workload->passes_option, "--passes"},
                                     std::pair{request.workload->size_option, "--size"}}) {
    if (!option.empty() && error.sentence.find(fmt::format(": {}=", option)) != std::string::npos)
      error.sentence += fmt::format(" ({} sets {})", flag, option);
  }
  return error;
}

void tell_progress(const WorkloadRequest& request, const workloads::Variant& variant) {
  if (standard_error().interactive) tell(fmt::format("{} {} …\n", request.workload->name, variant.name));
}

Result<VariantRun> run_variant(const WorkloadRequest& request, const workloads::Variant& variant,
                               const workloads::Machine& machine) {
  const std::string program = part_of_memswell("workloads/" + std::string(request.workload->name));
  VariantRun run;
  run.variant = &variant;
  run.arguments = arguments_of(variant, request.changed);
  auto alone = workloads::run_natively(program, run.arguments);
  if (!alone) return in_words_of(request, alone.error());
  run.alone = std::move(*alone);
  if (request.changed.empty()) run.checked = workloads::check(variant, run.alone, machine);

  run.recording = fmt::format("{}/memswell.{}.{}.{}.swell", request.directory, request.workload->name, variant.name, ::getpid());
  ProgramRun recorded{{program}, run.recording};
  recorded.command.insert(recorded.command.end(), run.arguments.begin(), run.arguments.end());
  const auto output = record_program(recorded);
  if (!output) return output.error();
  auto truth = workloads::parse_truth(*output);
  if (!truth) return truth.error();
  run.recorded = std::move(*truth);
  auto report = load(run.recording, {});
  if (!report) return report.error();
  run.report = std::make_unique<analysis::RunReport>(std::move(*report));
  return run;
}

}  // namespace

Result<std::vector<VariantRun>> run_variants(const WorkloadRequest& request) {
  if (const auto directory = check_directory(request.directory); !directory) return directory.error();
  const workloads::Machine machine = workloads::probe_machine();
  std::vector<VariantRun> runs;
  for (const workloads::Variant* variant : request.variants) {
    tell_progress(request, *variant);
    auto run = run_variant(request, *variant, machine);
    if (!run) return run.error();
    runs.push_back(std::move(*run));
  }
  return runs;
}

}  // namespace memswell::cli
