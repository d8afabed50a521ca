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

// The largest that was told: a program tells it when it has finished a structure, which is often after the peak.
Value overallocated(const RunReport& run) {
  const ProcessReport* process = main_process(run);
  if (process == nullptr || process->snapshots.empty()) return std::nullopt;
  Bytes most = 0;
  for (const LedgerSnapshot& snapshot : process->snapshots) most = std::max(most, snapshot.beside.overallocated_bytes);
  return most;
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

using Columns = std::vector<std::vector<const RunReport*>>;

// The runs of each label, in the order of columns_of().
Columns grouped(const std::vector<ComparedRun>& runs) {
  const std::vector<std::string> labels = columns_of(runs);
  Columns columns(labels.size());
  for (const ComparedRun& run : runs) {
    const auto at = std::find(labels.begin(), labels.end(), run.label) - labels.begin();
    columns[static_cast<std::size_t>(at)].push_back(run.run);
  }
  return columns;
}

// Bytes by a name in each run of each column, with the rows that differ most first.
class Changes {
 public:
  explicit Changes(const Columns& columns) : columns_(columns) {}

  void add(const std::string& name, std::size_t column, std::size_t run, std::uint64_t bytes) {
    auto& of_columns = values_[name];
    of_columns.resize(columns_.size());
    of_columns[column].resize(columns_[column].size());
    of_columns[column][run] = of_columns[column][run].value_or(0) + bytes;
  }

  std::vector<BenchRow> largest(std::size_t count) const {
    std::vector<std::pair<std::uint64_t, BenchRow>> rows;
    for (const auto& [name, of_columns] : values_) {
      BenchRow row = row_of_runs(name, BenchUnit::bytes, with_zeros(of_columns));
      if (const std::uint64_t change = change_of(row); change != 0) rows.emplace_back(change, std::move(row));
    }
    std::stable_sort(rows.begin(), rows.end(), [](const auto& a, const auto& b) { return a.first > b.first; });
    std::vector<BenchRow> out;
    for (std::size_t i = 0; i < std::min(count, rows.size()); ++i) out.push_back(std::move(rows[i].second));
    return out;
  }

 private:
  // In a column that has the name at all, a run without it has 0 bytes of it.
  static std::vector<std::vector<Value>> with_zeros(std::vector<std::vector<Value>> of_columns) {
    for (std::vector<Value>& runs : of_columns) {
      for (Value& value : runs) value = value.value_or(0);
    }
    return of_columns;
  }

  // A column whose spread covers the difference has none.
  static std::uint64_t change_of(const BenchRow& row) {
    std::uint64_t largest = 0;
    const std::uint64_t reference = row.values[0].value_or(0);
    for (std::size_t i = 1; i < row.values.size(); ++i) {
      if (!row.ranges.empty() && overlap(row.ranges[0], row.ranges[i])) continue;
      const std::uint64_t bytes = row.values[i].value_or(0);
      largest = std::max(largest, bytes > reference ? bytes - reference : reference - bytes);
    }
    return largest;
  }

  const Columns& columns_;
  std::map<std::string, std::vector<std::vector<Value>>> values_;
};

template <class Add>
std::vector<BenchRow> largest_changes(const Columns& columns, Add add) {
  Changes changes(columns);
  for (std::size_t column = 0; column < columns.size(); ++column) {
    for (std::size_t run = 0; run < columns[column].size(); ++run) {
      add(*columns[column][run],
          [&](const std::string& name, std::uint64_t bytes) { changes.add(name, column, run, bytes); });
    }
  }
  return changes.largest(kSites);
}

std::vector<BenchRow> ledger_changes(const Columns& columns) {
  return largest_changes(columns, [](const RunReport& run, const auto& add) {
    const LedgerSnapshot* peak = main_peak(run);
    if (peak == nullptr) return;
    for (const analysis::LedgerRow& row : peak->rows)
      add(std::string(analysis::kOwnerTexts[static_cast<std::size_t>(row.owner)].words), row.bytes);
  });
}

// By function and file, not by line: lines move between two versions of a program.
std::vector<BenchRow> site_changes(const Columns& columns) {
  return largest_changes(columns, [](const RunReport& run, const auto& add) {
    const ProcessReport* process = main_process(run);
    if (process == nullptr) return;
    for (const analysis::Site& site : process->sites)
      add(site.function.empty() ? site_text(site) : place_text({site.function, {}, 0, site.module, 0}),
          site.figures.live_at_peak_bytes);
  });
}

std::vector<Value> values_of(const Measure& measure, const std::vector<const RunReport*>& runs) {
  std::vector<Value> values;
  for (const RunReport* run : runs) values.push_back(measure.value(*run));
  return values;
}

void write_column(JsonWriter& json, const std::string& label, const std::vector<const RunReport*>& runs) {
  json.begin_object();
  json.text("label", label);
  json.number("runs", runs.size());
  for (const Measure& measure : kMeasures) {
    const BenchRow row = row_of_runs("", measure.unit, {values_of(measure, runs)});
    if (!row.values[0]) continue;
    json.begin_object(measure.key);
    json.number("median", *row.values[0]);
    json.number("low", row.ranges.empty() ? *row.values[0] : row.ranges[0].low);
    json.number("high", row.ranges.empty() ? *row.values[0] : row.ranges[0].high);
    json.end_object();
  }
  json.end_object();
}

}  // namespace

std::vector<std::string> columns_of(const std::vector<ComparedRun>& runs) {
  std::vector<std::string> labels;
  for (const ComparedRun& run : runs) {
    if (std::find(labels.begin(), labels.end(), run.label) == labels.end()) labels.push_back(run.label);
  }
  return labels;
}

std::vector<BenchRow> comparison_rows(const std::vector<ComparedRun>& runs) {
  const Columns columns = grouped(runs);
  std::vector<BenchRow> rows;
  for (const Measure& measure : kMeasures) {
    std::vector<std::vector<Value>> of_columns;
    for (const auto& of_column : columns) of_columns.push_back(values_of(measure, of_column));
    rows.push_back(row_of_runs(measure.words, measure.unit, of_columns));
  }
  return rows;
}

void write_figures(JsonWriter& json, const RunReport& run) {
  for (const Measure& measure : kMeasures) {
    if (const Value value = measure.value(run)) {
      json.number(measure.key, *value);
    } else {
      json.null(measure.key);
    }
  }
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
          {"environment", environment.empty() ? "none of interest" : environment},
          {"huge pages", run.huge_pages},
          {"sample interval", format_duration(run.sample_interval_ns)},
          {"memswell", run.memswell_version}};
}

std::string comparison(const std::vector<ComparedRun>& runs, const Terminal& terminal) {
  const Columns columns = grouped(runs);
  const std::vector<std::string> labels = columns_of(runs);
  std::vector<Facts> facts;
  for (const auto& of_column : columns) {
    facts.push_back(facts_of(*of_column[0]));
    facts.back().emplace_back("runs", fmt::format("{}", of_column.size()));
  }
  std::string out = common_and_different(labels, facts, terminal) + "\n";
  out += bench_table({"", labels, comparison_rows(runs), false}, terminal);
  if (auto rows = ledger_changes(columns); !rows.empty())
    out += "\n" + bench_table({"resident at the peak, by what changed most", labels, std::move(rows), false}, terminal);
  if (auto rows = site_changes(columns); !rows.empty())
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
    write_figures(json, *run.run);
    json.end_object();
  }
  json.end_array();
  json.begin_array("columns");
  const Columns columns = grouped(runs);
  const std::vector<std::string> labels = columns_of(runs);
  for (std::size_t i = 0; i < labels.size(); ++i) write_column(json, labels[i], columns[i]);
  json.end_array();
  json.end_object();
  return json.take();
}

}  // namespace memswell::report
