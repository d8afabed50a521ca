// Cutting lines, numbers and words from the front of a text of /proc. Private to the parsers of this room.
// Every function looks at the text given and nothing beyond it; what does not fit is refused and left in place.
#pragma once

#include <charconv>
#include <cstdint>
#include <limits>
#include <optional>
#include <string_view>
#include <system_error>

#include "base/ids.h"

namespace memswell::smaps {

struct Line {
  std::string_view text;
  bool whole = false;  // ended by a newline: nothing of it can be missing
};

inline std::optional<Line> take_line(std::string_view& text) {
  if (text.empty()) return std::nullopt;
  const auto end = text.find('\n');
  const Line line{text.substr(0, end), end != std::string_view::npos};
  text.remove_prefix(line.whole ? end + 1 : text.size());
  return line;
}

template <class Number>
std::optional<Number> take_number(std::string_view& text, int base = 10) {
  Number number = 0;
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), number, base);
  if (failure != std::errc{}) return std::nullopt;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return number;
}

inline bool take_char(std::string_view& text, char expected) {
  if (text.empty() || text.front() != expected) return false;
  text.remove_prefix(1);
  return true;
}

inline void skip_blanks(std::string_view& text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
}

inline std::string_view take_word(std::string_view& text) {
  skip_blanks(text);
  const auto word = text.substr(0, text.find_first_of(" \t"));
  text.remove_prefix(word.size());
  return word;
}

// "   1234 kB", whole: a value whose unit is cut off may have lost digits too. The only place where kB become bytes.
inline std::optional<Bytes> parse_kilobytes(std::string_view value) {
  skip_blanks(value);
  const auto kilobytes = take_number<std::uint64_t>(value);
  if (!kilobytes || value != " kB" || *kilobytes > std::numeric_limits<Bytes>::max() / 1024) return std::nullopt;
  return *kilobytes * 1024;
}

struct KeyedLine {
  std::string_view key;
  std::string_view value;  // what follows the colon, blanks kept
};

inline std::optional<KeyedLine> split_key(std::string_view line) {
  const auto colon = line.find(':');
  if (colon == std::string_view::npos || colon == 0) return std::nullopt;
  return KeyedLine{line.substr(0, colon), line.substr(colon + 1)};
}

}  // namespace memswell::smaps
