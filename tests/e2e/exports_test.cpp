// The exports and the HTML report of a real recording: their sums are those of `report --json`.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sqlite3.h>
#include <sys/stat.h>

#include <algorithm>
#include <fstream>
#include <sstream>

#include "tests/e2e/harness.h"

namespace memswell::tests {
namespace {

using nlohmann::json;
using testing::HasSubstr;
using testing::Not;

class Exports : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    folder_ = new TemporaryFolder;
    const Finished done = memswell({"run", "-q", "-o", folder_->file("a.swell"), "--", std::string(MEMSWELL_WORKLOADS) + "/append",
                                    "strings=20", "policy=plus25", "order=_"});
    ASSERT_EQ(done.exit_code, 0) << done.err;
    report_ = json::parse(memswell({"report", "--json", folder_->file("a.swell")}).out).at("processes").at(0);
  }
  static void TearDownTestSuite() {
    delete folder_;
    folder_ = nullptr;
  }

  static Finished exported(const std::string& format) {
    Finished done = memswell({"export", "--format", format, folder_->file("a.swell")});
    EXPECT_EQ(done.exit_code, 0) << done.err;
    return done;
  }
  static std::uint64_t live_at_peak() {
    std::uint64_t sum = 0;
    for (const json& site : report_.at("sites")) sum += site.at("live_at_peak_bytes").get<std::uint64_t>();
    return sum;
  }

  static inline TemporaryFolder* folder_ = nullptr;
  static inline json report_;
};

TEST_F(Exports, FoldedLinesSumToWhatWasLiveAtThePeak) {
  std::istringstream lines(exported("folded").out);
  std::uint64_t sum = 0;
  for (std::string line; std::getline(lines, line);) sum += std::stoull(line.substr(line.rfind(' ')));
  EXPECT_EQ(sum, live_at_peak());
}

TEST_F(Exports, SpeedscopeWeightsDoToo) {
  const json profile = json::parse(exported("speedscope").out).at("profiles").at(0);
  std::uint64_t sum = 0;
  for (const json& weight : profile.at("weights")) sum += weight.get<std::uint64_t>();
  EXPECT_EQ(sum, live_at_peak());
  EXPECT_EQ(profile.at("endValue"), sum);
}

TEST_F(Exports, FirefoxWeightsDoToo) {
  std::uint64_t sum = 0;
  const json profile = json::parse(exported("firefox").out);
  for (const json& weight : profile.at("threads").at(0).at("samples").at("weight")) sum += weight.get<std::uint64_t>();
  EXPECT_EQ(sum, live_at_peak());
}

TEST_F(Exports, CsvHasALineForEachSite) {
  const std::string text = exported("csv").out;
  EXPECT_EQ(static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n')), report_.at("sites").size() + 1);
}

TEST_F(Exports, OpenMetricsHasThePeakAndItsEnd) {
  const std::string text = exported("openmetrics").out;
  EXPECT_THAT(text, HasSubstr("} " + std::to_string(report_.at("totals").at("peak_rss_bytes").get<std::uint64_t>()) + "\n"));
  EXPECT_TRUE(text.ends_with("# EOF\n"));
}

TEST_F(Exports, MassifBeginsAsMassifDoes) {
  EXPECT_THAT(exported("massif").out, testing::StartsWith("desc: "));
  EXPECT_THAT(exported("massif").out, HasSubstr("heap_tree=peak"));
}

TEST_F(Exports, SqliteSumsAreTheReports) {
  const std::string file = folder_->file("a.db");
  ASSERT_EQ(memswell({"export", "--format", "sqlite", "-o", file, folder_->file("a.swell")}).exit_code, 0);
  sqlite3* database = nullptr;
  ASSERT_EQ(sqlite3_open_v2(file.c_str(), &database, SQLITE_OPEN_READONLY, nullptr), SQLITE_OK);
  const auto number = [&](const char* question) {
    sqlite3_stmt* statement = nullptr;
    EXPECT_EQ(sqlite3_prepare_v2(database, question, -1, &statement, nullptr), SQLITE_OK) << sqlite3_errmsg(database);
    EXPECT_EQ(sqlite3_step(statement), SQLITE_ROW);
    const auto value = static_cast<std::uint64_t>(sqlite3_column_int64(statement, 0));
    sqlite3_finalize(statement);
    return value;
  };
  EXPECT_EQ(number("SELECT sum(live_at_peak_bytes) FROM site"), live_at_peak());
  EXPECT_EQ(number("SELECT sum(live_at_peak_bytes) FROM stack"), live_at_peak());
  EXPECT_EQ(number("SELECT sum(calls) FROM stack"), report_.at("totals").at("calls"));
  EXPECT_EQ(number("SELECT count(*) FROM snapshot"), report_.at("snapshots").size());
  EXPECT_EQ(number("SELECT count(*) FROM finding"), report_.at("findings").size());
  EXPECT_EQ(number("SELECT count(*) FROM (SELECT 1 FROM snapshot s JOIN ledger USING (process, snapshot) GROUP BY process, "
                   "snapshot HAVING sum(bytes) + s.difference_bytes <> s.rss_bytes)"), 0U);
  sqlite3_close(database);
}

TEST_F(Exports, AnExistingFileIsReplacedOnlyWithForce) {
  const std::string file = folder_->file("kept.html");
  std::ofstream(file) << "mine";
  EXPECT_NE(memswell({"report", "--html", "-o", file, folder_->file("a.swell")}).exit_code, 0);
  std::string kept;
  std::getline(std::ifstream(file), kept);
  EXPECT_EQ(kept, "mine");
  EXPECT_EQ(memswell({"report", "--html", "--force", "-o", file, folder_->file("a.swell")}).exit_code, 0);
}

// The name of a program is chosen by whoever sends a recording.
TEST_F(Exports, AProgramWithAHostileNameIsTextInTheHtml) {
  const std::string program = folder_->file("<img src=x onerror=alert(1)>");
  std::ofstream(program) << "#!/bin/sh\nexit 0\n";
  ASSERT_EQ(::chmod(program.c_str(), 0755), 0);
  ASSERT_EQ(memswell({"run", "-q", "-o", folder_->file("h.swell"), "--", program}).exit_code, 0);
  const std::string page = memswell({"report", "--html", folder_->file("h.swell")}).out;
  EXPECT_THAT(page, Not(HasSubstr("<img")));
  EXPECT_THAT(page, HasSubstr("&lt;img src=x onerror=alert(1)&gt;"));
}

}  // namespace
}  // namespace memswell::tests
