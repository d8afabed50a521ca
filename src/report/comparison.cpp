#include "report/comparison.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "base/units.h"
#include "report/escape.h"
#include "report/json_report.h"
#include "report/json_writer.h"
#include "report/selection.h"
#include "report/site_text.h"
#include "report/table.h"

namespace memswell::report {
namespace {

using analysis::LedgerSnapshot;
using analysis::Owner;
using analysis::ProcessReport;
using analysis::RunReport;
using Value = std::optional<std::uint64_t>;

constexpr std::size_t kSites = 10;

struct Measure {
  const char* key;
  const char* words;
  BenchUnit unit;
  Value (*value)(const RunReport&);
};

template <std::uint64_t analysis::ProcessTotals::*member>
Value from_totals(const RunReport& run) {
  const ProcessReport* process = main_process(run);
  return process == nullptr ? std::nullopt : Value(process->totals.*member);
}

Value allocated(const RunReport& run) {
  std::uint64_t sum = 0;
  for (const ProcessReport& process : run.processes) sum += process.totals.figures.allocated_bytes;
  return sum;
}

const LedgerSnapshot* main_peak(const RunReport& run) {
  const ProcessReport* process = main_process(run);
  return process == nullptr ? nullptr : peak_snapshot(*process);
}

Value untouched(const RunReport& run) {
  const LedgerSnapshot* peak = main_peak(run);
  return peak == nullptr ? std::nullopt : Value(peak->beside.untouched_bytes);
}

Value overallocated(const RunReport& run) {
  const LedgerSnapshot* peak = main_peak(run);
  return peak == nullptr ? std::nullopt : Value(peak->beside.overallocated_bytes);
}

// Freed by the program and still resident at the end.
Value retained(const RunReport& run) {
  const ProcessReport* process = main_process(run);
  const LedgerSnapshot* end = process == nullptr ? nullptr : exit_snapshot(*process);
  if (end == nullptr) return std::nullopt;
  return end->row(Owner::heap_trimmable) + end->row(Owner::heap_pinned) + end->row(Owner::heap_cached);
}

constexpr Measure kMeasures[] = {
    {"duration_ns", "time", BenchUnit::nanoseconds, [](const RunReport& run) -> Value { return run.duration_ns; }},
    {"calls", "calls", BenchUnit::count, [](const RunReport& run) -> Value { return calls_of(run); }},
    {"allocated_bytes", "allocated", BenchUnit::bytes, allocated},
    {"peak_live_bytes", "live, peak", BenchUnit::bytes, from_totals<&analysis::ProcessTotals::peak_live_bytes>},
    {"peak_rss_bytes", "RSS, peak", BenchUnit::bytes, from_totals<&analysis::ProcessTotals::peak_rss_bytes>},
    {"end_rss_bytes", "RSS, end", BenchUnit::bytes, from_totals<&analysis::ProcessTotals::end_rss_bytes>},
    {"peak_private_dirty_bytes", "private dirty, peak", BenchUnit::bytes,
     from_totals<&analysis::ProcessTotals::peak_private_dirty_bytes>},
    {"overallocated_bytes", "overallocated", BenchUnit::bytes, overallocated},
    {"untouched_bytes", "untouched", BenchUnit::bytes, untouched},
    {"retained_bytes", "freed, retained at the end", BenchUnit::bytes, retained},
    {"unfreed_bytes", "not freed at exit", BenchUnit::bytes, from_totals<&analysis::ProcessTotals::live_bytes_at_exit>},
};

std::vector<std::string> labels_of(const std::vector<ComparedRun>& runs) {
  std::vector<std::string> labels;
  for (const ComparedRun& run : runs) labels.push_back(run.label);
  return labels;
}

// Bytes by a name in each run, with the rows that differ most first.
struct Changes {
  std::map<std::string, std::vector<Value>> values;

  std::vector<BenchRow> largest(std::size_t count) const {
    std::vector<std::pair<std::uint64_t, BenchRow>> rows;
    for (const auto& [name, of_runs] : values) {
      std::uint64_t spread = 0;
      for (const Value& value : of_runs) {
        const std::uint64_t a = value.value_or(0);
        const std::uint64_t b = of_runs[0].value_or(0);
        spread = std::max(spread, a > b ? a - b : b - a);
      }
      if (spread != 0) rows.emplace_back(spread, BenchRow{name, BenchUnit::bytes, of_runs});
    }
    std::stable_sort(rows.begin(), rows.end(), [](const auto& a, const auto& b) { return a.first > b.first; });
    std::vector<BenchRow> out;
    for (std::size_t i = 0; i < std::min(count, rows.size()); ++i) out.push_back(rows[i].second);
    return out;
  }
};

Changes ledger_changes(const std::vector<ComparedRun>& runs) {
  Changes changes;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    const LedgerSnapshot* peak = main_peak(*runs[i].run);
    if (peak == nullptr) continue;
    for (const analysis::LedgerRow& row : peak->rows) {
      const auto& text = analysis::kOwnerTexts[static_cast<std::size_t>(row.owner)];
      auto& of_runs = changes.values[std::string(text.words)];
      of_runs.resize(runs.size());
      of_runs[i] = row.bytes;
    }
  }
  return changes;
}

// By function and file, not by line: lines move between two versions of a program.
Changes site_changes(const std::vector<ComparedRun>& runs) {
  Changes changes;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    const ProcessReport* process = main_process(*runs[i].run);
    if (process == nullptr) continue;
    for (const analysis::Site& site : process->sites) {
      const std::string name = site.function.empty() ? site_text(site) : place_text({site.function, {}, 0, site.module, 0});
      auto& of_runs = changes.values[name];
      of_runs.resize(runs.size());
      of_runs[i] = of_runs[i].value_or(0) + site.figures.live_at_peak_bytes;
    }
  }
  return changes;
}

}  // namespace

std::vector<BenchRow> comparison_rows(const std::vector<ComparedRun>& runs) {
  std::vector<BenchRow> rows;
  for (const Measure& measure : kMeasures) {
    BenchRow row{measure.words, measure.unit, {}};
    for (const ComparedRun& run : runs) row.values.push_back(measure.value(*run.run));
    rows.push_back(std::move(row));
  }
  return rows;
}

Facts facts_of(const RunReport& run) {
  const ProcessReport* process = main_process(run);
  std::string environment;
  for (const std::string& variable : run.environment) environment += (environment.empty() ? "" : " ") + variable;
  return {{"command", command_text(run.command, 200)},
          {"CPU", run.machine},
          {"kernel", run.kernel},
          {"libc", run.libc},
          {"allocator", process == nullptr ? "" : process->allocator},
          {"environment", environment},
          {"huge pages", run.huge_pages},
          {"sample interval", format_duration(run.sample_interval_ns)},
          {"memswell", run.memswell_version}};
}

std::string comparison(const std::vector<ComparedRun>& runs, const Terminal& terminal) {
  std::vector<Facts> facts;
  for (const ComparedRun& run : runs) facts.push_back(facts_of(*run.run));
  const std::vector<std::string> labels = labels_of(runs);
  std::string out = common_and_different(labels, facts, terminal) + "\n";
  out += bench_table({"", labels, comparison_rows(runs), false}, terminal);
  if (auto rows = ledger_changes(runs).largest(kSites); !rows.empty())
    out += "\n" + bench_table({"resident at the peak, by what changed most", labels, std::move(rows), false}, terminal);
  if (auto rows = site_changes(runs).largest(kSites); !rows.empty())
    out += "\n" + bench_table({"live at the peak, by what changed most", labels, std::move(rows), false}, terminal);
  return out;
}

std::string comparison_json(const std::vector<ComparedRun>& runs) {
  JsonWriter json;
  json.begin_object();
  json.number("schema", kJsonSchema);
  json.begin_array("runs");
  for (const ComparedRun& run : runs) {
    json.begin_object();
    json.text("label", run.label);
    for (const auto& [key, value] : facts_of(*run.run)) json.text(key, value);
    for (const Measure& measure : kMeasures) {
      if (const Value value = measure.value(*run.run)) {
        json.number(measure.key, *value);
      } else {
        json.null(measure.key);
      }
    }
    json.end_object();
  }
  json.end_array();
  json.end_object();
  return json.take();
}

}  // namespace memswell::report
