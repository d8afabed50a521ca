// What the larger exports hold, read back by the libraries of those who will read them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sqlite3.h>

#include <nlohmann/json.hpp>

#include "golden/sample_run.h"
#include "report/exports.h"
#include "report/html_report.h"
#include "report/json_report.h"

namespace memswell::report {
namespace {

using nlohmann::json;
using testing::HasSubstr;
using testing::Not;

constexpr const char* kHostile = "<script>alert('1')</script>\"&'); DROP TABLE site; --\x1b[2J";

analysis::RunReport hostile_run() {
  analysis::RunReport run = sample_run();
  run.command[0] = kHostile;
  for (analysis::NamedFrame& frame : run.stacks.frames) {
    for (trace::SourceFrame& level : frame.levels) level.function = kHostile;
  }
  for (analysis::ProcessReport& process : run.processes) {
    process.command = {kHostile};
    for (analysis::Site& site : process.sites) site.function = site.file = kHostile;
    for (analysis::Phase& phase : process.phases) phase.name = kHostile;
    for (analysis::Finding& finding : process.findings) finding.sentence = finding.remedy = kHostile;
  }
  return run;
}

class Sqlite : public testing::Test {
 protected:
  void open(const analysis::RunReport& run) {
    file_ = export_sqlite(run, {});
    ASSERT_EQ(sqlite3_open(":memory:", &database_), SQLITE_OK);
    ASSERT_EQ(sqlite3_deserialize(database_, "main", reinterpret_cast<unsigned char*>(file_.data()),
                                  static_cast<sqlite3_int64>(file_.size()), static_cast<sqlite3_int64>(file_.size()),
                                  SQLITE_DESERIALIZE_READONLY),
              SQLITE_OK);
  }
  void TearDown() override { sqlite3_close(database_); }

  // The first column of all rows, as text.
  std::vector<std::string> ask(const char* question) {
    std::vector<std::string> rows;
    const auto keep = [](void* out, int, char** values, char**) {
      static_cast<std::vector<std::string>*>(out)->emplace_back(values[0] == nullptr ? "NULL" : values[0]);
      return 0;
    };
    EXPECT_EQ(sqlite3_exec(database_, question, keep, &rows, nullptr), SQLITE_OK) << sqlite3_errmsg(database_);
    return rows;
  }

  std::string file_;
  sqlite3* database_ = nullptr;
};

TEST_F(Sqlite, IsAWholeDatabase) {
  open(sample_run());
  EXPECT_EQ(ask("PRAGMA integrity_check"), std::vector<std::string>{"ok"});
}

TEST_F(Sqlite, SumsAreThoseOfTheJsonReport) {
  const analysis::RunReport run = sample_run();
  open(run);
  const json report = json::parse(json_report(run));
  std::uint64_t calls = 0, bytes = 0, sites = 0;
  for (const json& process : report.at("processes")) {
    for (const json& site : process.at("sites")) {
      calls += site.at("calls").get<std::uint64_t>();
      bytes += site.at("live_at_peak_bytes").get<std::uint64_t>();
      ++sites;
    }
  }
  EXPECT_EQ(ask("SELECT count(*) FROM site")[0], std::to_string(sites));
  EXPECT_EQ(ask("SELECT sum(calls) FROM site")[0], std::to_string(calls));
  EXPECT_EQ(ask("SELECT sum(live_at_peak_bytes) FROM site")[0], std::to_string(bytes));
  EXPECT_EQ(ask("SELECT peak_rss_bytes FROM process WHERE process = 0")[0],
            std::to_string(report.at("processes").at(0).at("totals").at("peak_rss_bytes").get<std::uint64_t>()));
}

TEST_F(Sqlite, EveryLedgerAddsUpToItsSnapshot) {
  open(sample_run());
  EXPECT_GT(std::stoi(ask("SELECT count(*) FROM snapshot")[0]), 0);
  EXPECT_TRUE(ask("SELECT at FROM snapshot s JOIN ledger l USING (process, snapshot) GROUP BY process, snapshot "
                  "HAVING sum(l.bytes) + s.difference_bytes <> s.rss_bytes").empty());
}

TEST_F(Sqlite, StacksLeadToTheOutermostFrame) {
  open(sample_run());
  EXPECT_EQ(ask("WITH RECURSIVE up(stack) AS (SELECT max(stack) FROM stack UNION ALL SELECT caller FROM frame JOIN up USING "
                "(stack) WHERE level = 0 AND caller IS NOT NULL) SELECT count(*) FROM frame JOIN up USING (stack) "
                "WHERE caller IS NULL AND level = 0")[0],
            "1");
}

TEST_F(Sqlite, NamesAreValuesWithoutControlCharacters) {
  open(hostile_run());
  EXPECT_EQ(ask("SELECT DISTINCT function FROM site")[0], "<script>alert('1')</script>\"&'); DROP TABLE site; --\\x1b[2J");
}

TEST(Firefox, TablesReferToEachOther) {
  const json profile = json::parse(export_firefox(sample_run(), {}));
  EXPECT_EQ(profile.at("meta").at("preprocessedProfileVersion"), 48);
  for (const json& thread : profile.at("threads")) {
    const std::size_t strings = thread.at("stringArray").size();
    const json &functions = thread.at("funcTable"), &frames = thread.at("frameTable"), &stacks = thread.at("stackTable");
    for (const json& name : functions.at("name")) EXPECT_LT(name.get<std::size_t>(), strings);
    for (const json& function : frames.at("func")) EXPECT_LT(function.get<std::size_t>(), functions.at("length"));
    for (const json& frame : stacks.at("frame")) EXPECT_LT(frame.get<std::size_t>(), frames.at("length"));
    for (std::size_t i = 0; i < stacks.at("prefix").size(); ++i) {
      const json& caller = stacks.at("prefix")[i];
      EXPECT_TRUE(caller.is_null() || caller.get<std::size_t>() < i);
    }
    for (const json& stack : thread.at("samples").at("stack")) EXPECT_LT(stack.get<std::size_t>(), stacks.at("length"));
  }
}

TEST(Firefox, ColumnsAreAsLongAsTheirTables) {
  const json profile = json::parse(export_firefox(sample_run(), {}));
  for (const json& thread : profile.at("threads")) {
    for (const char* name : {"samples", "markers", "funcTable", "frameTable", "stackTable", "nativeSymbols", "resourceTable"}) {
      for (const auto& [key, column] : thread.at(name).items()) {
        if (key == "length" || key == "weightType") continue;
        EXPECT_EQ(column.size(), thread.at(name).at("length")) << name << "." << key;
      }
    }
  }
}

TEST(Firefox, WeightsAreTheLiveBytesAtThePeak) {
  const analysis::RunReport run = sample_run();
  const json profile = json::parse(export_firefox(run, {}));
  ASSERT_EQ(profile.at("threads").size(), run.processes.size());
  std::uint64_t sum = 0, expected = 0;
  for (const json& weight : profile.at("threads").at(0).at("samples").at("weight")) sum += weight.get<std::uint64_t>();
  for (const analysis::StackFigures& stack : run.processes[0].stacks) expected += stack.figures.live_at_peak_bytes;
  EXPECT_GT(sum, 0u);
  EXPECT_EQ(sum, expected);
}

TEST(Firefox, TheMemoryTrackEndsAtTheLastReading) {
  const analysis::RunReport run = sample_run();
  const json profile = json::parse(export_firefox(run, {}));
  std::int64_t level = 0;
  for (const json& change : profile.at("counters").at(0).at("samples").at("count")) level += change.get<std::int64_t>();
  EXPECT_EQ(level, static_cast<std::int64_t>(run.processes[0].timeline.back().rss_bytes));
}

TEST(Html, AHostileNameIsText) {
  const std::string page = html_report(hostile_run(), {.all = true});
  EXPECT_THAT(page, Not(HasSubstr("<script")));
  EXPECT_THAT(page, Not(HasSubstr("\x1b")));
  EXPECT_THAT(page, HasSubstr("&lt;script&gt;alert(&#39;1&#39;)&lt;/script&gt;"));
}

TEST(Html, NothingComesFromElsewhere) {
  const std::string page = html_report(sample_run(), {.all = true});
  EXPECT_THAT(page, HasSubstr("default-src 'none'"));
  for (const char* reference : {"http:", "https:", "src=", "@import", "url("}) EXPECT_THAT(page, Not(HasSubstr(reference)));
}

TEST(Html, HasTheFiguresOfTheReport) {
  const std::string page = html_report(sample_run(), {.all = true});
  const analysis::RunReport run = sample_run();
  EXPECT_THAT(page, HasSubstr("<svg class=\"timeline\""));
  EXPECT_THAT(page, HasSubstr("<svg class=\"flame\""));
  EXPECT_THAT(page, HasSubstr("in use by the program&#39;s blocks"));
  EXPECT_THAT(page, HasSubstr("Try: "));
}

}  // namespace
}  // namespace memswell::report
