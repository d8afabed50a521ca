// What a person reads, with width and colours chosen by the test.
#include <gtest/gtest.h>

#include "golden/golden_file.h"
#include "golden/sample_run.h"
#include "report/comparison.h"
#include "report/limits.h"
#include "report/selection.h"
#include "report/site_report.h"
#include "report/story.h"
#include "report/summary.h"
#include "report/text_graph.h"
#include "report/timeline.h"

namespace memswell::report {
namespace {

const Terminal kFile{.width = 120};
const Terminal kNarrow{.width = 80, .interactive = true};

const analysis::ProcessReport& indexer(const analysis::RunReport& run) { return run.processes[0]; }

TEST(GoldenSummary, AtThePeakAndAtTheEnd) { expect_golden("summary.txt", summary(sample_run(), "memswell.indexer.4711.swell", kFile)); }

TEST(GoldenSummary, InANarrowColouredTerminal) {
  const Terminal terminal{.width = 80, .colours = true, .interactive = true};
  expect_golden("summary_narrow.txt", summary(sample_run(), "memswell.indexer.4711.swell", terminal));
}

TEST(GoldenSummary, OfAProgramWithoutSnapshots) {
  analysis::RunReport run = sample_run();
  run.processes.resize(1);
  run.processes[0].snapshots.clear();
  run.processes[0].peak_snapshot = -1;
  run.processes[0].exit_snapshot = -1;
  run.processes[0].findings.clear();
  expect_golden("summary_without_snapshots.txt", summary(run, "x.swell", kFile));
}

TEST(GoldenSites, ByWhatWasLiveAtThePeak) { expect_golden("sites.txt", site_report(sample_run(), {}, kFile)); }

TEST(GoldenSites, ShortenedToATerminal) { expect_golden("sites_narrow.txt", site_report(sample_run(), {}, kNarrow)); }

TEST(GoldenSites, UnfreedWithStacks) {
  const SiteReportOptions options{.cost = analysis::Cost::unfreed, .top = 2, .processes = {.pid = 4711}, .stacks = true};
  expect_golden("sites_unfreed_stacks.txt", site_report(sample_run(), options, kFile));
}

TEST(GoldenSites, TopDownTree) {
  const SiteReportOptions options{.processes = {.pid = 4711}, .tree = analysis::Direction::top_down};
  expect_golden("tree_top_down.txt", site_report(sample_run(), options, kFile));
}

TEST(GoldenSites, BottomUpTreeByCalls) {
  const SiteReportOptions options{.cost = analysis::Cost::calls, .processes = {.pid = 4711}, .tree = analysis::Direction::bottom_up};
  expect_golden("tree_bottom_up_calls.txt", site_report(sample_run(), options, kFile));
}

TEST(GoldenStory, OfTheWholeRun) { expect_golden("story.txt", story(sample_run(), {}, kFile)); }

TEST(GoldenTimeline, Table) { expect_golden("timeline.txt", timeline_table(indexer(sample_run()), {}, kFile)); }

TEST(GoldenTimeline, AtMarksInTheMannerOfLinuxSmaps) {
  analysis::RunReport run = sample_run();
  run.processes[0].timeline[6].smaps->rss_bytes = 4052 * 1024;
  run.processes[0].timeline[6].smaps->private_dirty_bytes = 2448 * 1024;
  expect_golden("timeline_smaps.txt", timeline_smaps(indexer(run), {.at = TimelineAt::marks}));
}

TEST(GoldenTimeline, PerMapping) {
  expect_golden("timeline_mappings.txt", timeline_table(indexer(sample_run()), {.per_mapping = PerMapping::yes}, kFile));
}

TEST(GoldenTimeline, Graph) { expect_golden("graph.txt", text_graph(indexer(sample_run()), {.width = 60})); }

TEST(GoldenComparison, OfTwoVersions) {
  const analysis::RunReport before = sample_run();
  const analysis::RunReport after = improved_run();
  expect_golden("comparison.txt", comparison({{"before", &before}, {"after", &after}}, kFile));
}

TEST(GoldenCheck, SaysWhichLimitIsExceeded) {
  const std::vector<Limit> limits{{&limit_kinds()[0], Bytes{400} << 20}, {&limit_kinds()[3], Bytes{400} << 20}};
  const CheckOutcome outcome = check_limits(sample_run(), limits, kFile);
  EXPECT_FALSE(outcome.held);
  expect_golden("check.txt", outcome.text);
}

}  // namespace
}  // namespace memswell::report
