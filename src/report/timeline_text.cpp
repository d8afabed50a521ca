#include <fmt/format.h>

#include "base/units.h"
#include "report/escape.h"
#include "report/site_text.h"
#include "report/table.h"
#include "report/timeline.h"

namespace memswell::report {
namespace {

using analysis::MappingRow;
using analysis::ProcessReport;
using analysis::TimelineRow;

std::string kilobytes(Bytes bytes) { return std::to_string(bytes / 1024); }

std::string cell(const TimelineColumn& column, const TimelineRow& row) {
  const std::optional<std::uint64_t> value = column.value(row);
  if (!value) return {};
  return column.in_kilobytes ? kilobytes(*value) : std::to_string(*value);
}

std::string heading_of(std::string key) {
  for (char& c : key) c = c == '_' ? ' ' : c;
  return key;
}

// Seed of the field: Linux::Smaps prints kB; a value of at least 1024 is printed in k the same way.
std::string value_text(const analysis::ValueMark& mark) {
  const bool large = mark.value >= 1024 || mark.value <= -1024;
  return fmt::format("{}: {}", escaped(mark.name), large ? fmt::format("{} k", mark.value / 1024) : fmt::format("{}", mark.value));
}

std::string marks_text(const TimelineRow& row) {
  std::string out = escaped(row.mark);
  for (const analysis::ValueMark& mark : row.values) out += (out.empty() ? "" : ", ") + value_text(mark);
  return out;
}

std::string mapping_name(const MappingRow& mapping) {
  if (mapping.own) return "memswell's own: " + escaped(mapping.name);
  return mapping.name.empty() ? "[anonymous]" : escaped(mapping.name);
}

std::string time_text(Nanoseconds time) { return fmt::format("{:.3f}", static_cast<double>(time) / 1e9); }

std::string table_of_mappings(const TimelineRow& row, const Terminal& terminal) {
  std::vector<Column> columns{{"address", Align::left}, {"", Align::left}};
  for (const MappingColumn& column : mapping_columns()) columns.push_back({heading_of(column.key)});
  columns.push_back({"mapping", Align::left, true});
  Table table(std::move(columns));
  for (const MappingRow& mapping : row.mappings) {
    std::vector<std::string> cells{fmt::format("{:x}-{:x}", mapping.begin, mapping.end), escaped(mapping.permissions)};
    for (const MappingColumn& column : mapping_columns()) cells.push_back(kilobytes(mapping.figures.*column.member));
    cells.push_back(mapping_name(mapping));
    table.add(std::move(cells));
  }
  return fmt::format("at {} s   {}\n", time_text(row.time_ns), marks_text(row)) + table.text(terminal, 2) + "\n";
}

}  // namespace

std::string timeline_table(const ProcessReport& process, const TimelineSelection& selection, const Terminal& terminal) {
  std::string out = terminal.paint(Colour::strong, fmt::format("{}   pid {}   sizes in kB", command_text(process.command), process.pid)) + "\n";
  const std::vector<const TimelineRow*> rows = timeline_rows(process, selection);
  if (selection.per_mapping == PerMapping::yes) {
    for (const TimelineRow* row : rows) out += table_of_mappings(*row, terminal);
    return out;
  }
  std::vector<Column> columns{{"s"}};
  for (const TimelineColumn& column : timeline_columns()) columns.push_back({heading_of(column.key)});
  columns.push_back({"mark", Align::left, true});
  Table table(std::move(columns));
  for (const TimelineRow* row : rows) {
    std::vector<std::string> cells{time_text(row->time_ns)};
    for (const TimelineColumn& column : timeline_columns()) cells.push_back(cell(column, *row));
    cells.push_back(marks_text(*row));
    table.add(std::move(cells));
  }
  return out + (table.empty() ? "  no rows\n" : table.text(terminal));
}

std::string smaps_line(const TimelineRow& row) {
  struct Field {
    const char* key;
    Bytes analysis::SmapsFigures::*member;
  };
  constexpr Field kFields[] = {
      {"rss", &analysis::SmapsFigures::rss_bytes},
      {"shared_clean", &analysis::SmapsFigures::shared_clean_bytes},
      {"shared_dirty", &analysis::SmapsFigures::shared_dirty_bytes},
      {"private_clean", &analysis::SmapsFigures::private_clean_bytes},
      {"private_dirty", &analysis::SmapsFigures::private_dirty_bytes},
  };
  if (!row.smaps) return {};
  std::string line;
  for (const Field& field : kFields)
    line += fmt::format("{}{}: {}", line.empty() ? "" : ", ", field.key, kilobytes((*row.smaps).*field.member));
  for (const analysis::ValueMark& mark : row.values) line += ", " + value_text(mark);
  return line + "\n";
}

std::string timeline_smaps(const ProcessReport& process, const TimelineSelection& selection) {
  std::string out;
  for (const TimelineRow* row : timeline_rows(process, selection)) out += smaps_line(*row);
  return out;
}

}  // namespace memswell::report
