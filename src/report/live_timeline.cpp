#include "report/live_timeline.h"

#include <fmt/format.h>

#include <algorithm>

#include "report/csv.h"
#include "report/timeline.h"

namespace memswell::report {
namespace {

// What memswell sees without being inside the program.
bool seen_from_outside(const TimelineColumn& column) {
  constexpr std::string_view kInside[] = {"requested", "usable", "live_blocks"};
  return std::find(std::begin(kInside), std::end(kInside), column.key) == std::end(kInside);
}

std::string cell(const TimelineColumn& column, const analysis::TimelineRow& row) {
  const std::optional<std::uint64_t> value = column.value(row);
  return value ? std::to_string(*value / 1024) : std::string();
}

std::string seconds(const analysis::TimelineRow& row) { return fmt::format("{:.3f}", static_cast<double>(row.time_ns) / 1e9); }

template <class Cell>
std::string table_line(const std::string& first, Cell cell_of) {
  std::string line = fmt::format("{:>9}", first);
  for (const TimelineColumn& column : timeline_columns()) {
    if (seen_from_outside(column)) line += fmt::format("  {:>13}", cell_of(column));
  }
  return line + "\n";
}

template <class Cell>
std::string csv_row(const std::string& first, Cell cell_of) {
  std::vector<std::string> cells{first};
  for (const TimelineColumn& column : timeline_columns()) {
    if (seen_from_outside(column)) cells.push_back(cell_of(column));
  }
  return csv_line(cells);
}

}  // namespace

std::string live_heading(LiveFormat format) {
  switch (format) {
    case LiveFormat::table: return table_line("s", [](const TimelineColumn& column) { return std::string(column.key); });
    case LiveFormat::csv:
      return csv_row("seconds", [](const TimelineColumn& column) { return std::string(column.key) + "_kb"; });
    case LiveFormat::smaps: return {};
  }
  return {};
}

std::string live_row(const analysis::TimelineRow& row, LiveFormat format) {
  const auto cell_of = [&row](const TimelineColumn& column) { return cell(column, row); };
  switch (format) {
    case LiveFormat::table: return table_line(seconds(row), cell_of);
    case LiveFormat::csv: return csv_row(seconds(row), cell_of);
    case LiveFormat::smaps: return smaps_line(row);
  }
  return {};
}

}  // namespace memswell::report
