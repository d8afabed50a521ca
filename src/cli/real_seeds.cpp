#include "cli/real_seeds.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <memory>
#include <span>
#include <vector>

#include "cli/load.h"
#include "cli/output.h"
#include "cli/recorded_program.h"
#include "report/bench_table.h"
#include "report/comparison.h"
#include "report/escape.h"
#include "report/findings_text.h"
#include "report/json_report.h"
#include "report/selection.h"
#include "workloads/native_run.h"

namespace memswell::cli {
namespace {

struct Script {
  std::string_view label;
  std::string_view interpreter;
  std::string_view file;
  std::string_view arguments;
};

struct Seed {
  std::string_view name;
  std::string_view question;
  std::span<const Script> scripts;
  bool phases_by_line;  // the script cannot call memswell_phase: it prints "== NAME"
};

constexpr Script kCalloc[] = {{"python3", "python3", "calloc_table.py", ""}};
constexpr Script kPasses[] = {{"python3", "python3", "dict_passes.py", ""},
                              {"python2.7", "python2.7", "dict_passes.py", ""}};
constexpr Script kAppend[] = {{"append $i", "perl", "append.pl", "i"}, {"append $_", "perl", "append.pl", "_"}};
constexpr Script kSingle[] = {{"one string", "perl", "append_single.pl", ""}};
constexpr Seed kSeeds[] = {
    {"calloc", "What do bytes, bytearray and tuples cost before they are written?", kCalloc, false},
    {"passes", "Does the second pass over the same work peak above the first?", kPasses, false},
    {"append", "What does over-allocation on append cost, and what does it save?", kAppend, true},
    {"append-single", "Where is the over-allocation of one growing string to be seen?", kSingle, true},
};

struct ScriptRun {
  const Script* script = nullptr;
  std::string output;
  std::string recording;
  std::unique_ptr<analysis::RunReport> report;  // null: no such interpreter
};

// A shim in the path of an interpreter that is not there fails too: ask it.
bool is_installed(std::string_view interpreter) {
  return static_cast<bool>(workloads::output_of(
      {"/bin/sh", "-c", "exec \"$0\" --version 2>/dev/null", std::string(interpreter)}));
}

Result<ScriptRun> run_script(const Seed& seed, const Script& script, const std::string& directory) {
  ScriptRun run;
  run.script = &script;
  if (!is_installed(script.interpreter)) return run;
  if (standard_error().interactive) tell(fmt::format("{} {} …\n", script.interpreter, script.file));
  std::string label;
  for (const char c : script.label) {
    if (c != '$') label += c == ' ' ? '-' : c;
  }
  run.recording = fmt::format("{}/memswell.{}.{}.{}.swell", directory, seed.name, label, ::getpid());
  ProgramRun program{{std::string(script.interpreter), part_of_memswell("workloads/real/" + std::string(script.file))},
                     run.recording};
  for (const std::string& word : workloads::words(script.arguments)) program.command.push_back(word);
  if (seed.phases_by_line) program.options = {"--phase-on", "^== (.*)"};
  auto output = record_program(program);
  if (!output) return output.error();
  run.output = std::move(*output);
  auto report = load(run.recording, {});
  if (!report) return report.error();
  run.report = std::make_unique<analysis::RunReport>(std::move(*report));
  return run;
}

std::vector<report::ComparedRun> compared(const std::vector<ScriptRun>& runs) {
  std::vector<report::ComparedRun> out;
  for (const ScriptRun& run : runs) {
    if (run.report) out.push_back({std::string(run.script->label), run.report.get()});
  }
  return out;
}

// A row a phase of the first run, peak RSS; its process with the largest peak.
report::BenchTable phase_table(const std::vector<report::ComparedRun>& runs) {
  report::BenchTable table{"RSS, peak of the phase", report::columns_of(runs), {}, false};
  const analysis::ProcessReport* first = report::main_process(*runs[0].run);
  for (std::size_t i = 0; first != nullptr && i < first->phases.size(); ++i) {
    report::BenchRow row{first->phases[i].name, report::BenchUnit::bytes, {}, {}};
    for (const report::ComparedRun& run : runs) {
      const analysis::ProcessReport* process = report::main_process(*run.run);
      const bool has = process != nullptr && i < process->phases.size();
      row.values.push_back(has ? std::optional(process->phases[i].peak_rss_bytes) : std::nullopt);
    }
    table.rows.push_back(std::move(row));
  }
  return table;
}

// Without the lines that only name phases.
std::string lines_of(const std::string& output) {
  std::string out;
  for (std::size_t begin = 0; begin < output.size();) {
    const std::size_t end = std::min(output.find('\n', begin), output.size());
    const std::string line = output.substr(begin, end - begin);
    if (!line.starts_with("== ")) out += "    " + report::escaped(line) + "\n";
    begin = end + 1;
  }
  return out;
}

std::string seed_text(const Seed& seed, const std::vector<ScriptRun>& runs, const report::Terminal& terminal) {
  std::string out = terminal.paint(report::Colour::strong, seed.name) + fmt::format(": {}\n", seed.question);
  for (const ScriptRun& run : runs) {
    if (!run.report) out += fmt::format("  {} is not installed here: left out\n", run.script->interpreter);
    else out += fmt::format("  {}\n", run.script->label) + lines_of(run.output);
  }
  const auto columns = compared(runs);
  if (columns.empty()) return out;
  out += "\n" + report::bench_table({"recorded", report::columns_of(columns), report::comparison_rows(columns), false}, terminal);
  out += "\n" + report::bench_table(phase_table(columns), terminal);
  for (const ScriptRun& run : runs) {
    const analysis::ProcessReport* process = run.report ? report::main_process(*run.report) : nullptr;
    if (process == nullptr) continue;
    out += fmt::format("\n  {}\n", run.script->label) + report::findings_text(*process, 3, terminal);
    out += "  recording: " + run.recording + "\n";
  }
  return out;
}

void write_run(report::JsonWriter& json, const ScriptRun& run) {
  json.begin_object();
  json.text("label", run.script->label);
  json.text("interpreter", run.script->interpreter);
  json.flag("installed", run.report != nullptr);
  if (run.report) {
    json.text("output", run.output);
    json.text("recording", run.recording);
    json.begin_object("figures");
    report::write_figures(json, *run.report);
    json.end_object();
  }
  json.end_object();
}

}  // namespace

Result<int> run_real_seeds(const std::string& directory, bool as_json) {
  if (const auto checked = check_directory(directory); !checked) return checked.error();
  report::JsonWriter json;
  json.begin_object();
  json.number("schema", report::kJsonSchema);
  json.begin_array("seeds");
  for (const Seed& seed : kSeeds) {
    std::vector<ScriptRun> runs;
    for (const Script& script : seed.scripts) {
      auto run = run_script(seed, script, directory);
      if (!run) return run.error();
      runs.push_back(std::move(*run));
    }
    if (!as_json) {
      if (const auto printed = print(seed_text(seed, runs, standard_output()) + "\n"); !printed) return printed;
    }
    json.begin_object();
    json.text("name", seed.name);
    json.text("question", seed.question);
    json.begin_array("runs");
    for (const ScriptRun& run : runs) write_run(json, run);
    json.end_array();
    json.end_object();
  }
  json.end_array();
  json.end_object();
  return as_json ? print(json.take()) : Result<int>(0);
}

}  // namespace memswell::cli
