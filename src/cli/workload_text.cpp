#include "cli/workload_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <time.h>

#include <algorithm>
#include <functional>
#include <map>

#include "base/units.h"
#include "report/bench_table.h"
#include "report/comparison.h"
#include "report/escape.h"
#include "report/findings_text.h"
#include "report/selection.h"
#include "workloads/machine.h"

namespace memswell::cli {
namespace {

using report::BenchRow;
using report::BenchTable;
using report::BenchUnit;
using workloads::Verdict;
using Value = std::optional<std::uint64_t>;

constexpr std::size_t kFindings = 3;
constexpr std::size_t kPulses = 2;

BenchUnit bench_unit(workloads::Unit unit) {
  switch (unit) {
    case workloads::Unit::bytes: return BenchUnit::bytes;
    case workloads::Unit::count: return BenchUnit::count;
    case workloads::Unit::nanoseconds: return BenchUnit::nanoseconds;
  }
  return BenchUnit::bytes;
}

std::vector<report::ComparedRun> compared(const std::vector<VariantRun>& runs) {
  std::vector<report::ComparedRun> out;
  for (const VariantRun& run : runs) out.push_back({std::string(run.variant->name), run.report.get()});
  return out;
}

// What shrank below its base is shown as 0: a table of costs has no use for a page less.
Value figure(const workloads::Truth& truth, std::string_view phase, std::string_view metric, bool since_base) {
  const auto value = truth.figure(phase, metric);
  if (!value) return std::nullopt;
  const std::int64_t base = since_base ? truth.figure("base", metric).value_or(0) : 0;
  return static_cast<std::uint64_t>(std::max<std::int64_t>(*value - base, 0));
}

BenchRow time_row(const char* name, const workloads::Workload& workload, const std::vector<VariantRun>& runs,
                  std::string_view metric) {
  BenchRow row{name, BenchUnit::nanoseconds, {}, {}};
  for (const VariantRun& run : runs)
    row.values.push_back(static_cast<std::uint64_t>(run.alone.sum(workload.measured_phases, metric)));
  return row;
}

// Times are those of the runs without memswell; calls, bytes and memory those of the recordings.
BenchTable main_table(const workloads::Workload& workload, const std::vector<VariantRun>& runs) {
  BenchTable table{std::string(workload.name), report::columns_of(compared(runs)), {}, false};
  table.rows.push_back(time_row("time", workload, runs, "wall_ns"));
  table.rows.push_back(time_row("CPU time", workload, runs, "cpu_ns"));
  auto rows = report::comparison_rows(compared(runs));
  std::erase_if(rows, [](const BenchRow& row) { return row.unit == BenchUnit::nanoseconds; });
  table.rows.insert(table.rows.end(), rows.begin(), rows.end());
  for (const workloads::KeyFigure& key : workload.key_figures) {
    BenchRow row{std::string(key.words), bench_unit(key.unit), {}, {}};
    for (const VariantRun& run : runs) row.values.push_back(figure(run.alone, key.phase, key.metric, key.since_base));
    table.rows.push_back(std::move(row));
  }
  return table;
}

bool among(std::string_view prefixes, std::string_view name) {
  for (std::size_t begin = 0; begin < prefixes.size();) {
    const std::size_t end = std::min(prefixes.find(' ', begin), prefixes.size());
    if (name.starts_with(prefixes.substr(begin, end - begin))) return true;
    begin = end + 1;
  }
  return false;
}

std::string_view without_number(std::string_view name) { return name.substr(0, name.rfind('-')); }

// Of a hundred passes the first ones and the last tell the story.
void leave_out_passes(std::vector<std::string>& names) {
  constexpr std::size_t kMost = 24, kFirst = 4;
  std::map<std::string, std::size_t, std::less<>> count, seen;
  for (const std::string& name : names) ++count[std::string(without_number(name))];
  std::erase_if(names, [&](const std::string& name) {
    const std::string work(without_number(name));
    const std::size_t index = ++seen[work];
    return count[work] > kMost && index > kFirst && index < count[work];
  });
}

// The phases of all variants, in the order of the first that has them.
std::vector<std::string> phase_names(const std::vector<VariantRun>& runs, std::string_view prefixes) {
  std::vector<std::string> names;
  for (const VariantRun& run : runs) {
    for (const workloads::TruthPhase& phase : run.alone.phases) {
      const bool known = std::ranges::find(names, phase.name) != names.end();
      if (!known && among(prefixes, phase.name)) names.push_back(phase.name);
    }
  }
  return names;
}

BenchTable phase_table(const workloads::PhaseTable& wanted, const std::vector<VariantRun>& runs) {
  BenchTable table{std::string(wanted.heading), report::columns_of(compared(runs)), {}, wanted.total};
  auto names = phase_names(runs, wanted.phases);
  const std::size_t all = names.size();
  leave_out_passes(names);
  table.total = wanted.total && names.size() == all;  // one over the rows that are shown would mislead
  for (const std::string& name : names) {
    BenchRow row{name, bench_unit(wanted.unit), {}, {}};
    for (const VariantRun& run : runs) row.values.push_back(figure(run.alone, name, wanted.metric, wanted.since_base));
    const bool measured = std::ranges::any_of(row.values, [](const Value& value) { return value.has_value(); });
    if (measured) table.rows.push_back(std::move(row));
  }
  return table;
}

std::string precision() {
  timespec resolution{};
  ::clock_getres(CLOCK_MONOTONIC, &resolution);
  return format_duration(static_cast<Nanoseconds>(resolution.tv_nsec));
}

// Without the folder, which is the same and long.
std::string command_of(const workloads::Workload& workload, const VariantRun& run) {
  std::string out(workload.name);
  for (const std::string& argument : run.arguments) out += " " + argument;
  return out;
}

std::string header(const workloads::Workload& workload, const std::vector<VariantRun>& runs, const report::Terminal& terminal) {
  std::vector<report::Facts> facts;
  for (const VariantRun& run : runs) {
    facts.push_back(report::facts_of(*run.report));
    facts.back()[0].second = command_of(workload, run);
    facts.back().emplace_back("compiler", std::string(workloads::compiler()));
    facts.back().emplace_back("timer precision", precision());
  }
  return report::common_and_different(report::columns_of(compared(runs)), facts, terminal);
}

std::string expectations(const VariantRun& run, const report::Terminal& terminal) {
  if (run.checked.empty()) return {};
  std::size_t held = 0, applied = 0;
  std::string failures;
  for (const workloads::Checked& checked : run.checked) {
    held += checked.verdict == Verdict::holds;
    applied += checked.verdict != Verdict::not_applicable;
    if (checked.verdict == Verdict::fails)
      failures += "  " + terminal.paint(report::Colour::warning, workloads::sentence(checked)) + "\n";
  }
  std::string out = fmt::format("  expected of it and measured: {} of {} hold", held, applied);
  if (applied < run.checked.size()) {
    const std::string objection = workloads::probe_machine().objection();
    out += fmt::format("; {} do not apply here{}", run.checked.size() - applied,
                       objection.empty() ? " (this kernel behaves otherwise)" : ": " + objection);
  }
  return out + "\n" + failures;
}

// How the first phases differ that rise above the one before: the highest pulse of each, against the pulse before it.
std::string pulses(const analysis::ProcessReport& process, const report::Terminal& terminal) {
  std::vector<const analysis::Pulse*> highest;
  for (const analysis::Pulse& pulse : process.pulses) {
    if (pulse.comparison.empty()) continue;
    const bool same = !highest.empty() && highest.back()->phase == pulse.phase;
    if (!same) highest.push_back(&pulse);
    else if (pulse.peak_rss_bytes > highest.back()->peak_rss_bytes) highest.back() = &pulse;
  }
  if (highest.size() > kPulses) highest.resize(kPulses);
  std::string out;
  for (const analysis::Pulse* pulse : highest) {
    const std::string text = fmt::format("  then RSS peaked at {} in phase \"{}\". {}", format_bytes(pulse->peak_rss_bytes),
                                         report::escaped(pulse->phase), report::escaped(pulse->comparison));
    out += report::wrapped(text, terminal.width, 4) + "\n";
  }
  return out;
}

std::string explanation(const VariantRun& run, const report::Terminal& terminal) {
  std::string out = terminal.paint(report::Colour::strong, run.variant->name) + "\n  ";
  out += report::wrapped(run.variant->shows, terminal.width - 2, 2) + "\n";
  out += expectations(run, terminal);
  if (const analysis::ProcessReport* process = report::main_process(*run.report))
    out += pulses(*process, terminal) + report::findings_text(*process, kFindings, terminal);
  return out + "  recording: " + run.recording + "\n";
}

}  // namespace

std::string workload_list(const report::Terminal& terminal) {
  std::string out;
  for (const workloads::Workload& workload : workloads::catalogue()) {
    out += fmt::format("{:<19} {}\n", workload.name, workload.summary);
    std::string variants;
    for (const workloads::Variant& variant : workload.variants)
      variants += fmt::format("{}{}{}", variants.empty() ? "" : ", ", variant.name,
                              variant.name == workload.reference ? " (*)" : "");
    out += std::string(20, ' ') + report::wrapped(variants, std::max<std::size_t>(terminal.width, 60) - 1, 20) + "\n";
  }
  out += fmt::format("{:<19} {}\n", "real-seeds", "the same questions to the python3, python2.7 and perl of this machine");
  return out;
}

std::string workload_text(const WorkloadRequest& request, const std::vector<VariantRun>& runs,
                          const report::Terminal& terminal) {
  const workloads::Workload& workload = *request.workload;
  std::string out = fmt::format("{}: {}\n\n", workload.name, workload.summary);
  out += report::wrapped(workload.explanation, terminal.width, 0) + "\n\n";
  if (!request.changed.empty())
    out += report::wrapped(fmt::format("Run with {}: numbers in the lines above are those of the usual size.",
                                       fmt::join(request.changed, " ")), terminal.width, 0) + "\n\n";
  out += header(workload, runs, terminal) + "\n";
  out += report::bench_table(main_table(workload, runs), terminal) + "\n";
  for (const workloads::PhaseTable& wanted : workload.phase_tables) {
    const BenchTable table = phase_table(wanted, runs);
    if (!table.rows.empty()) out += report::bench_table(table, terminal) + "\n";
  }
  for (const VariantRun& run : runs) out += explanation(run, terminal) + "\n";
  return out;
}

}  // namespace memswell::cli
