#include "report/terminal.h"

#include <fmt/format.h>

#include <algorithm>

namespace memswell::report {
namespace {

const char* code(Colour colour) {
  switch (colour) {
    case Colour::plain: return "";
    case Colour::strong: return "\x1b[1m";
    case Colour::faint: return "\x1b[2m";
    case Colour::rise: return "\x1b[31m";
    case Colour::fall: return "\x1b[32m";
    case Colour::warning: return "\x1b[33m";
  }
  return "";
}

bool continues_code_point(char c) { return (static_cast<unsigned char>(c) & 0xc0) == 0x80; }

}  // namespace

std::string Terminal::paint(Colour colour, std::string_view text) const {
  if (!colours || colour == Colour::plain) return std::string(text);
  return fmt::format("{}{}\x1b[0m", code(colour), text);
}

std::size_t display_width(std::string_view text) {
  std::size_t columns = 0;
  for (const char c : text) columns += continues_code_point(c) ? 0u : 1u;
  return columns;
}

std::string shortened(std::string_view text, std::size_t width) {
  if (display_width(text) <= width) return std::string(text);
  if (width == 0) return {};
  std::size_t columns = 0;
  std::size_t end = 0;
  for (; end < text.size(); ++end) {
    if (!continues_code_point(text[end]) && columns++ == width - 1) break;
  }
  return std::string(text.substr(0, end)) + "…";
}

std::string wrapped(std::string_view text, std::size_t width, std::size_t indent) {
  std::size_t column = std::min(text.find_first_not_of(' '), text.size());  // what it begins with stays
  std::string out(text.substr(0, column));
  text.remove_prefix(column);
  bool first = true;
  while (!text.empty()) {
    const std::size_t end = text.find(' ');
    const std::string_view word = text.substr(0, end);
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    const std::size_t columns = display_width(word);
    if (!first && column + 1 + columns > width) {
      out += "\n" + std::string(indent, ' ');
      column = indent;
    } else if (!first) {
      out += ' ';
      ++column;
    }
    first = false;
    out += word;
    column += columns;
  }
  return out;
}

}  // namespace memswell::report
