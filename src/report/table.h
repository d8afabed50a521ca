// A table of text with aligned columns. Cells are escaped() already; colour is given a row, never a cell's own.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "report/terminal.h"

namespace memswell::report {

enum class Align { left, right };

struct Column {
  std::string heading;
  Align align = Align::right;
  bool may_shorten = false;  // gives way where a terminal is narrower than the table
};

class Table {
 public:
  explicit Table(std::vector<Column> columns);

  void add(std::vector<std::string> cells, Colour colour = Colour::plain);  // one cell a column
  bool empty() const { return rows_.empty(); }

  // Heading and rows, two spaces between columns, `indent` before each line; no trailing spaces.
  std::string text(const Terminal& terminal, std::size_t indent = 0) const;

 private:
  struct Row {
    std::vector<std::string> cells;
    Colour colour;
  };

  std::vector<std::size_t> widths(const Terminal& terminal, std::size_t indent) const;

  std::vector<Column> columns_;
  std::vector<Row> rows_;
};

}  // namespace memswell::report
