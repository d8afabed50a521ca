// Writes a SQLite database in memory, table by table. A cover over SQLite, so that one file compiles it. Values are
// bound, never part of a statement. Running out of memory is the only failure, and a broken invariant.
#pragma once

#include <concepts>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace memswell::report {

class SqliteFile {
 public:
  SqliteFile();
  ~SqliteFile();

  // Begins a table; `columns` as in "pid INTEGER". Rows that follow belong to it.
  void table(std::string_view name, const std::vector<std::string>& columns);
  void index(std::string_view table, std::string_view columns);

  // The values of a row from left to right; a row is complete with its last column.
  template <std::integral T>
  SqliteFile& number(T value) {
    return integer(static_cast<std::int64_t>(value));
  }
  SqliteFile& text(std::string_view value);  // escaped (escape.h)
  SqliteFile& null();

  // The finished file.
  std::string take();

 private:
  struct State;
  SqliteFile& integer(std::int64_t value);
  SqliteFile& bound(int result);

  std::unique_ptr<State> state_;
};

}  // namespace memswell::report
