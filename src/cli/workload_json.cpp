// The JSON half of workload_text.h: docs/json.md has the keys.
#include "cli/workload_text.h"
#include "report/comparison.h"
#include "report/json_report.h"
#include "report/json_story.h"
#include "report/selection.h"

namespace memswell::cli {
namespace {

using report::JsonWriter;

void write_figures(JsonWriter& json, const workloads::Figures& figures) {
  for (const auto& [name, value] : figures) json.number(name, value);
}

void write_truth(JsonWriter& json, std::string_view key, const workloads::Truth& truth) {
  json.begin_object(key);
  write_figures(json, truth.totals);
  json.begin_array("phases");
  for (const workloads::TruthPhase& phase : truth.phases) {
    json.begin_object();
    json.text("name", phase.name);
    write_figures(json, phase.figures);
    json.end_object();
  }
  json.end_array();
  json.end_object();
}

void write_checked(JsonWriter& json, const workloads::Checked& checked) {
  constexpr std::string_view kRelations[] = {"about", "at_most", "at_least", "exactly"};
  constexpr std::string_view kVerdicts[] = {"holds", "fails", "not_applicable"};
  const workloads::Expectation& expected = checked.expected;
  json.begin_object();
  json.text("phase", expected.phase);
  json.text("metric", expected.metric);
  json.flag("since_base", expected.since_base);
  json.text("relation", kRelations[static_cast<std::size_t>(expected.relation)]);
  json.real("expected", expected.value);
  json.real("tolerance", expected.tolerance);
  if (checked.measured) {
    json.real("measured", *checked.measured);
  } else {
    json.null("measured");
  }
  json.text("verdict", kVerdicts[static_cast<std::size_t>(checked.verdict)]);
  json.end_object();
}

void write_variant(JsonWriter& json, const VariantRun& run) {
  json.begin_object();
  json.text("name", run.variant->name);
  json.texts("arguments", run.arguments);
  json.text("recording", run.recording);
  json.begin_object("figures");
  report::write_figures(json, *run.report);
  json.end_object();
  write_truth(json, "alone", run.alone);
  write_truth(json, "recorded", run.recorded);
  json.begin_array("expectations");
  for (const workloads::Checked& checked : run.checked) write_checked(json, checked);
  json.end_array();
  json.begin_array("findings");
  if (const analysis::ProcessReport* process = report::main_process(*run.report)) {
    for (const analysis::Finding& finding : process->findings) report::write_finding(json, finding, *process);
  }
  json.end_array();
  json.end_object();
}

}  // namespace

std::string workload_json(const workloads::Workload& workload, const std::vector<VariantRun>& runs) {
  JsonWriter json;
  json.begin_object();
  json.number("schema", report::kJsonSchema);
  json.text("workload", workload.name);
  json.text("reference", runs.empty() ? std::string_view{} : runs[0].variant->name);
  json.begin_array("variants");
  for (const VariantRun& run : runs) write_variant(json, run);
  json.end_array();
  json.end_object();
  return json.take();
}

}  // namespace memswell::cli
