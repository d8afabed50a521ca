// What other programs read.
#include <gtest/gtest.h>

#include "golden/golden_file.h"
#include "golden/sample_run.h"
#include "report/comparison.h"
#include "report/exports.h"
#include "report/json_report.h"
#include "report/selection.h"
#include "report/timeline.h"

namespace memswell::report {
namespace {

TEST(GoldenJson, Report) { expect_golden("report.json", json_report(sample_run())); }

TEST(GoldenJson, Timeline) {
  const analysis::RunReport run = sample_run();
  expect_golden("timeline.json", timeline_json(processes_with(run, 4711), {.at = TimelineAt::marks}));
}

TEST(GoldenJson, Comparison) {
  const analysis::RunReport before = sample_run();
  const analysis::RunReport after = improved_run();
  expect_golden("comparison.json", comparison_json({{"before", &before}, {"after", &after}}));
}

TEST(GoldenCsv, Timeline) {
  const analysis::RunReport run = sample_run();
  expect_golden("timeline.csv", timeline_csv(processes_with(run, std::nullopt), {}));
}

TEST(GoldenCsv, TimelinePerMapping) {
  const analysis::RunReport run = sample_run();
  expect_golden("timeline_mappings.csv", timeline_csv(processes_with(run, 4711), {.per_mapping = PerMapping::yes}));
}

TEST(GoldenExport, Folded) { expect_golden("export.folded", export_folded(sample_run(), {})); }
TEST(GoldenExport, Csv) { expect_golden("export.csv", export_csv(sample_run(), {})); }
TEST(GoldenExport, Speedscope) { expect_golden("export.speedscope.json", export_speedscope(sample_run(), {})); }
TEST(GoldenExport, Massif) { expect_golden("export.massif", export_massif(sample_run(), {})); }
TEST(GoldenExport, OpenMetrics) { expect_golden("export.openmetrics", export_openmetrics(sample_run(), {})); }
TEST(GoldenExport, Pprof) { expect_golden("export.pprof", export_pprof(sample_run(), {})); }

}  // namespace
}  // namespace memswell::report
