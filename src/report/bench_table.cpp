#include "report/bench_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/units.h"
#include "report/escape.h"
#include "report/table.h"

namespace memswell::report {
namespace {

using Value = std::optional<std::uint64_t>;

constexpr double kWorthAPercentage = 0.05;
constexpr double kFactorFrom = 3;

// Three figures: two runs of 1.2 and 1.4 ms are not "1 ms" both.
std::string precise_duration(std::uint64_t nanoseconds) {
  constexpr std::pair<double, const char*> kUnits[] = {{1e9, "s"}, {1e6, "ms"}, {1e3, "µs"}};
  const double value = static_cast<double>(nanoseconds);
  for (const auto& [size, unit] : kUnits) {
    if (value < size) continue;
    const double scaled = value / size;
    return fmt::format("{:.{}f} {}", scaled, scaled < 10 ? 2 : scaled < 100 ? 1 : 0, unit);
  }
  return fmt::format("{} ns", nanoseconds);
}

std::string value_text(BenchUnit unit, std::uint64_t value) {
  switch (unit) {
    case BenchUnit::bytes: return format_bytes(value);
    case BenchUnit::count: return format_count(value);
    case BenchUnit::nanoseconds: return precise_duration(value);
  }
  return {};
}

// "±3 %": how far the farthest run is from the median, as a part of it.
std::string spread_text(std::uint64_t median, const BenchRange& range) {
  if (range.low == range.high || median == 0) return {};
  const std::uint64_t farthest = std::max(range.high - std::min(range.high, median), median - std::min(median, range.low));
  const double percent = static_cast<double>(farthest) / static_cast<double>(median) * 100;
  return percent < 1 ? " ±<1 %" : fmt::format(" ±{:.0f} %", percent);
}

std::string difference(const BenchRow& row, std::size_t column) {
  if (!row.values[0] || *row.values[0] == *row.values[column]) return {};
  const bool repeated = !row.ranges.empty();
  if (repeated && overlap(row.ranges[0], row.ranges[column])) return "no difference";
  return difference_text(*row.values[column], *row.values[0]);
}

std::string cell(const BenchRow& row, std::size_t column) {
  if (!row.values[column]) return "-";
  std::string text = value_text(row.unit, *row.values[column]);
  if (!row.ranges.empty()) text += spread_text(*row.values[column], row.ranges[column]);
  if (column == 0) return text + " (*)";
  const std::string beside = difference(row, column);
  return beside.empty() ? text : text + " (" + beside + ")";
}

BenchRow total_of(const BenchTable& table) {
  BenchRow total{"Total", table.rows[0].unit, std::vector<Value>(table.columns.size(), 0), {}};
  for (const BenchRow& row : table.rows) {
    for (std::size_t i = 0; i < row.values.size(); ++i) {
      total.values[i] = total.values[i] && row.values[i] ? Value(*total.values[i] + *row.values[i]) : std::nullopt;
    }
  }
  return total;
}

// The finished texts of a table, before it is known which way it lies.
struct Grid {
  std::string corner;
  std::vector<std::string> columns;
  std::vector<std::string> names;               // one a row
  std::vector<std::vector<std::string>> cells;  // by row
  bool last_is_total = false;
};

constexpr std::size_t kGap = 2;

std::size_t name_width(const Grid& grid) {
  std::size_t width = display_width(grid.corner);
  for (const std::string& name : grid.names) width = std::max(width, display_width(name));
  return width;
}

std::size_t column_width(const Grid& grid, std::size_t column) {
  std::size_t width = display_width(grid.columns[column]);
  for (const auto& row : grid.cells) width = std::max(width, display_width(row[column]));
  return width + kGap;
}

// The first column that does not fit any more; at least one is taken.
std::size_t end_of_block(const Grid& grid, std::size_t begin, std::size_t width) {
  std::size_t used = name_width(grid);
  std::size_t end = begin;
  while (end < grid.columns.size() && (end == begin || used + column_width(grid, end) <= width))
    used += column_width(grid, end++);
  return end;
}

std::string block_text(const Grid& grid, std::size_t begin, std::size_t end, const Terminal& terminal) {
  std::vector<Column> columns{{grid.corner, Align::left, true}};
  for (std::size_t i = begin; i < end; ++i) columns.push_back({grid.columns[i], Align::right, true});
  Table out(std::move(columns));
  for (std::size_t row = 0; row < grid.names.size(); ++row) {
    std::vector<std::string> cells{grid.names[row]};
    for (std::size_t i = begin; i < end; ++i) cells.push_back(grid.cells[row][i]);
    const bool total = grid.last_is_total && row + 1 == grid.names.size();
    out.add(std::move(cells), total ? Colour::strong : Colour::plain);
  }
  return out.text(terminal);
}

Grid grid_of(const BenchTable& table) {
  Grid grid{table.heading, {}, {}, {}, table.total && !table.rows.empty()};
  for (const std::string& name : table.columns) grid.columns.push_back(escaped(name));
  std::vector<BenchRow> rows = table.rows;
  if (grid.last_is_total) rows.push_back(total_of(table));
  for (const BenchRow& row : rows) {
    grid.names.push_back(escaped(row.name));
    auto& cells = grid.cells.emplace_back();
    for (std::size_t i = 0; i < table.columns.size(); ++i) cells.push_back(cell(row, i));
  }
  return grid;
}

Grid turned(const Grid& grid) {
  Grid out{grid.corner, grid.names, grid.columns, {}, false};
  out.cells.resize(grid.columns.size());
  for (const auto& row : grid.cells) {
    for (std::size_t i = 0; i < row.size(); ++i) out.cells[i].push_back(row[i]);
  }
  return out;
}

bool common(const std::vector<Facts>& facts, std::size_t key) {
  for (const Facts& of_column : facts) {
    if (of_column[key].second != facts[0][key].second) return false;
  }
  return true;
}

// Of sorted values that are all there; of an even number the mean of the two in the middle.
std::uint64_t median_of(const std::vector<Value>& sorted) {
  const std::uint64_t low = *sorted[(sorted.size() - 1) / 2], high = *sorted[sorted.size() / 2];
  return low + (high - low) / 2;
}

}  // namespace

bool overlap(const BenchRange& a, const BenchRange& b) { return a.low <= b.high && b.low <= a.high; }

BenchRow row_of_runs(std::string name, BenchUnit unit, const std::vector<std::vector<Value>>& columns) {
  BenchRow row{std::move(name), unit, {}, {}};
  bool repeated = false;
  for (std::vector<Value> runs : columns) {
    std::sort(runs.begin(), runs.end());  // an empty value comes first
    const bool known = !runs.empty() && runs[0].has_value();
    row.values.push_back(known ? Value(median_of(runs)) : std::nullopt);
    row.ranges.push_back(known ? BenchRange{*runs.front(), *runs.back()} : BenchRange{});
    repeated = repeated || runs.size() > 1;
  }
  if (!repeated) row.ranges.clear();
  return row;
}

std::string difference_text(std::uint64_t value, std::uint64_t reference) {
  constexpr double kShortFrom = 1000;    // "x6.2 M" instead of "x6185517.1"
  constexpr double kNearlyAll = -0.995;  // what is left is something: "-99.9 %", never "-100 %"
  if (value == reference) return {};
  if (reference == 0) return "+";
  const double ratio = static_cast<double>(value) / static_cast<double>(reference);
  if (ratio >= kShortFrom) return "x" + format_short_count(static_cast<std::uint64_t>(std::round(ratio)));
  if (ratio >= kFactorFrom) return fmt::format("x{:.1f}", ratio);
  if (std::abs(ratio - 1) < kWorthAPercentage) return {};
  if (value != 0 && ratio - 1 <= kNearlyAll) return fmt::format("{:.1f} %", std::max((ratio - 1) * 100, -99.9));
  return fmt::format("{:+.0f} %", (ratio - 1) * 100);
}

std::string bench_table(const BenchTable& table, const Terminal& terminal) {
  Grid grid = grid_of(table);
  if (end_of_block(grid, 0, terminal.width) < grid.columns.size()) grid = turned(grid);
  std::string out;
  for (std::size_t begin = 0; begin < grid.columns.size();) {
    const std::size_t end = end_of_block(grid, begin, terminal.width);
    out += (begin == 0 ? "" : "\n") + block_text(grid, begin, end, terminal);
    begin = end;
  }
  return out;
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
