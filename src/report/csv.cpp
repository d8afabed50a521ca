#include "report/csv.h"

#include "report/escape.h"

namespace memswell::report {

std::string csv_text(std::string_view text) {
  std::string value;
  if (!text.empty() && std::string_view("=+-@").find(text[0]) != std::string_view::npos) value += '\'';
  value += escaped(text);
  if (value.find_first_of(",\"") == std::string::npos) return value;
  std::string quoted = "\"";
  for (const char c : value) quoted.append(c == '"' ? 2 : 1, c);
  return quoted += '"';
}

std::string csv_line(const std::vector<std::string>& cells) {
  std::string line;
  for (const std::string& cell : cells) line += (&cell == &cells.front() ? "" : ",") + cell;
  return line + "\n";
}

}  // namespace memswell::report
