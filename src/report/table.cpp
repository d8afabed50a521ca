#include "report/table.h"

#include <algorithm>
#include <numeric>

#include "base/check.h"

namespace memswell::report {
namespace {

constexpr std::size_t kGap = 2;
constexpr std::size_t kLeastWidth = 16;  // a column that gives way keeps this much

std::string aligned(const std::string& cell, std::size_t width, Align align) {
  const std::string shown = shortened(cell, width);
  const std::string padding(width - display_width(shown), ' ');
  return align == Align::left ? shown + padding : padding + shown;
}

}  // namespace

Table::Table(std::vector<Column> columns) : columns_(std::move(columns)) {}

void Table::add(std::vector<std::string> cells, Colour colour) {
  MEMSWELL_CHECK(cells.size() == columns_.size());
  rows_.push_back({std::move(cells), colour});
}

std::vector<std::size_t> Table::widths(const Terminal& terminal, std::size_t indent) const {
  std::vector<std::size_t> widths;
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    std::size_t width = display_width(columns_[i].heading);
    for (const Row& row : rows_) width = std::max(width, display_width(row.cells[i]));
    widths.push_back(width);
  }
  if (!terminal.interactive) return widths;  // whoever searches a file looks for whole names
  std::size_t total = std::accumulate(widths.begin(), widths.end(), indent + kGap * (columns_.size() - 1));
  for (std::size_t i = 0; i < columns_.size() && total > terminal.width; ++i) {
    if (!columns_[i].may_shorten || widths[i] <= kLeastWidth) continue;
    const std::size_t cut = std::min(total - terminal.width, widths[i] - kLeastWidth);
    widths[i] -= cut;
    total -= cut;
  }
  return widths;
}

std::string Table::text(const Terminal& terminal, std::size_t indent) const {
  const std::vector<std::size_t> width = widths(terminal, indent);
  const auto line = [&](auto cell, Colour colour) {
    std::string out(indent, ' ');
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      if (i != 0) out.append(kGap, ' ');
      out += aligned(cell(i), width[i], columns_[i].align);
    }
    out.erase(out.find_last_not_of(' ') + 1);
    return terminal.paint(colour, out) + "\n";
  };
  std::string out = line([&](std::size_t i) { return columns_[i].heading; }, Colour::strong);
  for (const Row& row : rows_) out += line([&](std::size_t i) { return row.cells[i]; }, row.colour);
  return out;
}

}  // namespace memswell::report
