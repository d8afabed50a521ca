// Where a report goes: how wide, with or without colour. A value, so that tests choose it.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace memswell::report {

enum class Colour { plain, strong, faint, rise, fall, warning };

struct Terminal {
  std::size_t width = 120;     // columns
  bool colours = false;
  bool interactive = false;    // a person looks on: graphs and progress are welcome

  std::string paint(Colour colour, std::string_view text) const;
};

// Columns that `text` takes, which is escaped() UTF-8: one a code point.
std::size_t display_width(std::string_view text);

// At most `width` columns of `text`, the last being "…" if something was cut.
std::string shortened(std::string_view text, std::size_t width);

// Lines of at most `width` columns, broken at spaces; the spaces that it begins with stay, and every further line begins
// with `indent` of them.
std::string wrapped(std::string_view text, std::size_t width, std::size_t indent);

}  // namespace memswell::report
