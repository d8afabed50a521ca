#include "report/abilities_text.h"

#include <fmt/format.h>

#include <algorithm>

#include "report/escape.h"

namespace memswell::report {
namespace {

struct MarkText {
  const char* word;
  Colour colour;
};

MarkText text_of(AbilityMark mark) {
  switch (mark) {
    case AbilityMark::good: return {"yes", Colour::fall};
    case AbilityMark::missing: return {"NO", Colour::warning};
    case AbilityMark::neutral: return {"-", Colour::plain};
  }
  return {"-", Colour::plain};
}

}  // namespace

std::string abilities_text(const std::vector<AbilityLine>& lines, const Terminal& terminal) {
  std::size_t width = 0;
  for (const AbilityLine& line : lines) width = std::max(width, display_width(line.name));
  std::string out;
  std::size_t missing = 0;
  for (const AbilityLine& line : lines) {
    const MarkText mark = text_of(line.mark);
    missing += line.mark == AbilityMark::missing ? 1u : 0u;
    out += terminal.paint(mark.colour, fmt::format("{:<4}", mark.word)) +
           fmt::format("{}{:{}}  {}\n", escaped(line.name), "", width - display_width(line.name), escaped(line.found));
    if (!line.consequence.empty())
      out += std::string(6, ' ') + wrapped(escaped(line.consequence), std::max<std::size_t>(terminal.width, 40) - 6, 6) + "\n";
  }
  return out + (missing == 0 ? "\nNothing is missing: figures are exact where memswell calls them exact.\n"
                             : fmt::format("\n{} missing; what memswell does instead stands above.\n", missing));
}

}  // namespace memswell::report
