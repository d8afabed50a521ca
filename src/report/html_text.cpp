#include "report/html_text.h"

#include "report/escape.h"

namespace memswell::report {
namespace {

std::string row_html(const std::vector<std::string>& cells, std::string_view cell, bool last_is_words) {
  std::string out;
  for (std::size_t i = 0; i < cells.size(); ++i) {
    const bool words = i == 0 || (last_is_words && i + 1 == cells.size());
    out += html_element(cell, html_text(cells[i]), words ? "" : " class=\"figure\"");
  }
  return html_element("tr", out) + "\n";
}

}  // namespace

std::string html_text(std::string_view text) {
  std::string out;
  for (const char c : escaped(text)) {
    switch (c) {
      case '&': out += "&amp;"; break;
      case '<': out += "&lt;"; break;
      case '>': out += "&gt;"; break;
      case '"': out += "&quot;"; break;
      case '\'': out += "&#39;"; break;
      default: out += c;
    }
  }
  return out;
}

std::string html_element(std::string_view name, std::string_view content, std::string_view attributes) {
  std::string out = "<";
  out.append(name).append(attributes).append(">").append(content);
  return out.append("</").append(name).append(">");
}

std::string html_table(const HtmlTable& table) {
  std::string out = html_element("thead", row_html(table.heading, "th", table.last_is_words)) + "\n<tbody>\n";
  for (const auto& row : table.rows) out += row_html(row, "td", table.last_is_words);
  return html_element("table", out + "</tbody>\n") + "\n";
}

}  // namespace memswell::report
