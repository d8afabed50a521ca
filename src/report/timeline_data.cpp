// The timeline for other programs: csv and json. Sizes are bytes in json, kB in csv as in the table.
#include <fmt/format.h>

#include "report/csv.h"
#include "report/json_report.h"
#include "report/json_writer.h"
#include "report/timeline.h"

namespace memswell::report {
namespace {

using analysis::MappingRow;
using analysis::ProcessReport;
using analysis::TimelineRow;

std::string csv_cell(const TimelineColumn& column, const TimelineRow& row) {
  const std::optional<std::uint64_t> value = column.value(row);
  if (!value) return {};
  return std::to_string(column.in_kilobytes ? *value / 1024 : *value);
}

std::string values_cell(const TimelineRow& row) {
  std::string out;
  for (const analysis::ValueMark& mark : row.values)
    out += fmt::format("{}{}={}", out.empty() ? "" : ";", mark.name, mark.value);
  return csv_text(out);
}

std::string seconds(const TimelineRow& row) { return fmt::format("{:.6f}", static_cast<double>(row.time_ns) / 1e9); }

std::string mappings_csv(const ProcessReport& process, const TimelineRow& row) {
  std::string out;
  for (const MappingRow& mapping : row.mappings) {
    std::vector<std::string> cells{std::to_string(process.pid), seconds(row), fmt::format("{:x}", mapping.begin),
                                   fmt::format("{:x}", mapping.end), csv_text(mapping.permissions)};
    for (const MappingColumn& column : mapping_columns())
      cells.push_back(std::to_string(mapping.figures.*column.member / 1024));
    cells.push_back(csv_text(mapping.name));
    out += csv_line(cells);
  }
  return out;
}

std::string csv_heading(PerMapping per_mapping) {
  std::vector<std::string> cells{"pid", "seconds"};
  if (per_mapping == PerMapping::yes) {
    cells.insert(cells.end(), {"begin", "end", "permissions"});
    for (const MappingColumn& column : mapping_columns()) cells.push_back(std::string(column.key) + "_kb");
    cells.push_back("mapping");
    return csv_line(cells);
  }
  for (const TimelineColumn& column : timeline_columns())
    cells.push_back(column.in_kilobytes ? std::string(column.key) + "_kb" : column.key);
  cells.insert(cells.end(), {"mark", "values"});
  return csv_line(cells);
}

std::string row_csv(const ProcessReport& process, const TimelineRow& row) {
  std::vector<std::string> cells{std::to_string(process.pid), seconds(row)};
  for (const TimelineColumn& column : timeline_columns()) cells.push_back(csv_cell(column, row));
  cells.insert(cells.end(), {csv_text(row.mark), values_cell(row)});
  return csv_line(cells);
}

void write_mapping(JsonWriter& json, const MappingRow& mapping) {
  json.begin_object();
  json.number("begin", mapping.begin);
  json.number("end", mapping.end);
  json.text("permissions", mapping.permissions);
  json.text("name", mapping.name);
  json.flag("own", mapping.own);
  for (const MappingColumn& column : mapping_columns())
    json.number(std::string(column.key) + "_bytes", mapping.figures.*column.member);
  json.end_object();
}

void write_row(JsonWriter& json, const TimelineRow& row, PerMapping per_mapping) {
  json.begin_object();
  json.number("time_ns", row.time_ns);
  for (const TimelineColumn& column : timeline_columns()) {
    const std::optional<std::uint64_t> value = column.value(row);
    const std::string key = column.in_kilobytes ? std::string(column.key) + "_bytes" : column.key;
    if (value) {
      json.number(key, *value);
    } else {
      json.null(key);
    }
  }
  json.number("own_bytes", row.own_bytes);
  json.text("mark", row.mark);
  json.begin_object("values");
  for (const analysis::ValueMark& mark : row.values) json.number(mark.name, mark.value);
  json.end_object();
  if (per_mapping == PerMapping::yes) {
    json.begin_array("mappings");
    for (const MappingRow& mapping : row.mappings) write_mapping(json, mapping);
    json.end_array();
  }
  json.end_object();
}

}  // namespace

std::string timeline_csv(const std::vector<const ProcessReport*>& processes, const TimelineSelection& selection) {
  std::string out = csv_heading(selection.per_mapping);
  for (const ProcessReport* process : processes) {
    for (const TimelineRow* row : timeline_rows(*process, selection))
      out += selection.per_mapping == PerMapping::yes ? mappings_csv(*process, *row) : row_csv(*process, *row);
  }
  return out;
}

std::string timeline_json(const std::vector<const ProcessReport*>& processes, const TimelineSelection& selection) {
  JsonWriter json;
  json.begin_object();
  json.number("schema", kJsonSchema);
  json.begin_array("processes");
  for (const ProcessReport* process : processes) {
    json.begin_object();
    json.number("pid", process->pid);
    json.texts("command", process->command);
    json.begin_array("timeline");
    for (const TimelineRow* row : timeline_rows(*process, selection)) write_row(json, *row, selection.per_mapping);
    json.end_array();
    json.end_object();
  }
  json.end_array();
  json.end_object();
  return json.take();
}

}  // namespace memswell::report
