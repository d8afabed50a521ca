#include "report/bench_table.h"

#include <fmt/format.h>

#include <cmath>

#include "base/units.h"
#include "report/escape.h"
#include "report/table.h"

namespace memswell::report {
namespace {

using Value = std::optional<std::uint64_t>;

constexpr double kWorthAPercentage = 0.05;
constexpr double kFactorFrom = 3;

std::string value_text(BenchUnit unit, std::uint64_t value) {
  switch (unit) {
    case BenchUnit::bytes: return format_bytes(value);
    case BenchUnit::count: return format_count(value);
    case BenchUnit::nanoseconds: return format_duration(value);
  }
  return {};
}

std::string cell(BenchUnit unit, const std::vector<Value>& values, std::size_t column) {
  if (!values[column]) return "-";
  std::string text = value_text(unit, *values[column]);
  if (column == 0) return text + " (*)";
  const std::string difference = values[0] ? difference_text(*values[column], *values[0]) : "";
  return difference.empty() ? text : text + " (" + difference + ")";
}

BenchRow total_of(const BenchTable& table) {
  BenchRow total{"Total", table.rows[0].unit, std::vector<Value>(table.columns.size(), 0)};
  for (const BenchRow& row : table.rows) {
    for (std::size_t i = 0; i < row.values.size(); ++i) {
      total.values[i] = total.values[i] && row.values[i] ? Value(*total.values[i] + *row.values[i]) : std::nullopt;
    }
  }
  return total;
}

bool common(const std::vector<Facts>& facts, std::size_t key) {
  for (const Facts& of_column : facts) {
    if (of_column[key].second != facts[0][key].second) return false;
  }
  return true;
}

}  // namespace

std::string difference_text(std::uint64_t value, std::uint64_t reference) {
  if (value == reference) return {};
  if (reference == 0) return "+";
  const double ratio = static_cast<double>(value) / static_cast<double>(reference);
  if (ratio >= kFactorFrom) return fmt::format("x{:.1f}", ratio);
  if (std::abs(ratio - 1) < kWorthAPercentage) return {};
  return fmt::format("{:+.0f} %", (ratio - 1) * 100);
}

std::string bench_table(const BenchTable& table, const Terminal& terminal) {
  std::vector<Column> columns{{table.heading, Align::left, true}};
  for (const std::string& name : table.columns) columns.push_back({escaped(name), Align::right, true});
  Table out(std::move(columns));
  const auto add = [&](const BenchRow& row, Colour colour) {
    std::vector<std::string> cells{escaped(row.name)};
    for (std::size_t i = 0; i < table.columns.size(); ++i) cells.push_back(cell(row.unit, row.values, i));
    out.add(std::move(cells), colour);
  };
  for (const BenchRow& row : table.rows) add(row, Colour::plain);
  if (table.total && !table.rows.empty()) add(total_of(table), Colour::strong);
  return out.text(terminal);
}

std::string common_and_different(const std::vector<std::string>& columns, const std::vector<Facts>& facts,
                                 const Terminal& terminal) {
  if (facts.empty()) return {};
  std::string same = "Common:";
  std::string differs;
  for (std::size_t key = 0; key < facts[0].size(); ++key) {
    const std::string& name = facts[0][key].first;
    if (common(facts, key)) {
      if (!facts[0][key].second.empty()) same += fmt::format("  {}: {};", name, escaped(facts[0][key].second));
      continue;
    }
    differs += fmt::format("Differs:  {}\n", name);
    for (std::size_t i = 0; i < facts.size(); ++i)
      differs += fmt::format("    {}: {}\n", escaped(columns[i]), escaped(facts[i][key].second));
  }
  if (same.back() == ';') same.pop_back();
  return wrapped(same, terminal.width, 4) + "\n" + differs;
}

}  // namespace memswell::report
