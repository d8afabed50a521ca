#include "report/csv.h"

#include "report/escape.h"

namespace memswell::report {

std::string csv_text(std::string_view text) {
  std::string value = escaped(text);
  if (!value.empty() && std::string_view("=+-@").find(value[0]) != std::string_view::npos) value.insert(0, "'");
  if (value.find_first_of(",\"") == std::string::npos) return value;
  std::string quoted = "\"";
  for (const char c : value) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
  return quoted + "\"";
}

std::string csv_line(const std::vector<std::string>& cells) {
  std::string line;
  for (const std::string& cell : cells) line += (&cell == &cells.front() ? "" : ",") + cell;
  return line + "\n";
}

}  // namespace memswell::report
