#include "report/sqlite_file.h"

#include <sqlite3.h>

#include "base/check.h"
#include "report/escape.h"

namespace memswell::report {

struct SqliteFile::State {
  sqlite3* database = nullptr;
  sqlite3_stmt* insert = nullptr;
  int columns = 0;
  int filled = 0;

  void run(const std::string& statement) {
    MEMSWELL_CHECK(sqlite3_exec(database, statement.c_str(), nullptr, nullptr, nullptr) == SQLITE_OK);
  }
  void end_table() {
    MEMSWELL_CHECK(filled == 0);
    sqlite3_finalize(insert);
    insert = nullptr;
  }
};

SqliteFile::SqliteFile() : state_(std::make_unique<State>()) {
  MEMSWELL_CHECK(sqlite3_open(":memory:", &state_->database) == SQLITE_OK);
  state_->run("BEGIN");
}

SqliteFile::~SqliteFile() {
  sqlite3_finalize(state_->insert);
  sqlite3_close(state_->database);
}

void SqliteFile::table(std::string_view name, const std::vector<std::string>& columns) {
  state_->end_table();
  std::string definition, places;
  for (const std::string& column : columns) {
    definition += (definition.empty() ? "" : ", ") + column;
    places += places.empty() ? "?" : ", ?";
  }
  state_->run("CREATE TABLE " + std::string(name) + " (" + definition + ")");
  const std::string insert = "INSERT INTO " + std::string(name) + " VALUES (" + places + ")";
  MEMSWELL_CHECK(sqlite3_prepare_v2(state_->database, insert.c_str(), -1, &state_->insert, nullptr) == SQLITE_OK);
  state_->columns = static_cast<int>(columns.size());
}

void SqliteFile::index(std::string_view table, std::string_view columns) {
  const std::string on = std::string(table) + " (" + std::string(columns) + ")";
  state_->run("CREATE INDEX " + std::string(table) + "_index ON " + on);
}

SqliteFile& SqliteFile::integer(std::int64_t value) {
  return bound(sqlite3_bind_int64(state_->insert, state_->filled + 1, value));
}

SqliteFile& SqliteFile::text(std::string_view value) {
  const std::string harmless = escaped(value);
  return bound(sqlite3_bind_text64(state_->insert, state_->filled + 1, harmless.data(), harmless.size(), SQLITE_TRANSIENT,
                                   SQLITE_UTF8));
}

SqliteFile& SqliteFile::null() { return bound(sqlite3_bind_null(state_->insert, state_->filled + 1)); }

SqliteFile& SqliteFile::bound(int result) {
  MEMSWELL_CHECK(result == SQLITE_OK);
  if (++state_->filled == state_->columns) {
    MEMSWELL_CHECK(sqlite3_step(state_->insert) == SQLITE_DONE);
    sqlite3_reset(state_->insert);
    state_->filled = 0;
  }
  return *this;
}

std::string SqliteFile::take() {
  state_->end_table();
  state_->run("COMMIT");
  sqlite3_int64 size = 0;
  unsigned char* bytes = sqlite3_serialize(state_->database, "main", &size, 0);
  MEMSWELL_CHECK(bytes != nullptr);
  std::string out(reinterpret_cast<const char*>(bytes), static_cast<std::size_t>(size));
  sqlite3_free(bytes);
  return out;
}

}  // namespace memswell::report
