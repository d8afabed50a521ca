// Comma-separated values (RFC 4180), safe to open in a spreadsheet.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace memswell::report {

// Escaped and quoted where needed; text that a spreadsheet would run as a formula (=, +, -, @ first) gets a quote before it.
std::string csv_text(std::string_view text);

std::string csv_line(const std::vector<std::string>& cells);  // cells are csv_text() or numbers already

}  // namespace memswell::report
