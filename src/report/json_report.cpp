#include "report/json_report.h"

#include "report/json_process.h"
#include "report/json_writer.h"

namespace memswell::report {
namespace {

void write_folded(JsonWriter& json, const std::optional<analysis::FoldedTime>& folded) {
  if (!folded) return json.null("folded");
  json.begin_object("folded");
  json.number("end_ns", folded->end_ns);
  json.number("events", folded->events);
  json.number("folds", folded->folds);
  json.number("samples_left_out", folded->samples_left_out);
  json.number("snapshots_left_out", folded->snapshots_left_out);
  json.number("max_bytes", folded->max_bytes);
  json.end_object();
}

void write_recording(JsonWriter& json, const analysis::RecordingState& recording) {
  json.begin_object("recording");
  json.flag("complete", recording.complete);
  json.text("ends", recording.end_sentence);
  json.number("lost_events", recording.lost_events);
  json.number("ring_waits", recording.ring_waits);
  json.number("events", recording.events);
  write_folded(json, recording.folded);
  json.end_object();
}

void write_sampling(JsonWriter& json, const analysis::RunReport& run) {
  if (run.sample_bytes == 0) return json.null("sampling");
  json.begin_object("sampling");
  json.number("bytes", run.sample_bytes);
  json.number("always_bytes", run.sample_always_bytes);
  json.end_object();
}

void write_machine(JsonWriter& json, const analysis::RunReport& run) {
  json.begin_object("machine");
  json.text("kernel", run.kernel);
  json.text("cpu", run.machine);
  json.text("libc", run.libc);
  json.number("cpus", run.cpus);
  json.number("memory_bytes", run.memory_bytes);
  json.number("page_bytes", run.page_bytes);
  json.text("huge_pages", run.huge_pages);
  json.end_object();
}

void write_tree_peak(JsonWriter& json, const analysis::TreeTotals& tree) {
  json.begin_object("tree_peak");
  json.number("time_ns", tree.time_ns);
  json.number("pss_bytes", tree.pss_bytes);
  json.number("rss_bytes", tree.rss_bytes);
  json.number("processes", tree.processes);
  json.end_object();
}

}  // namespace

std::string json_report(const analysis::RunReport& run) {
  JsonWriter json;
  json.begin_object();
  json.number("schema", kJsonSchema);
  json.text("memswell", run.memswell_version);
  json.texts("command", run.command);
  json.text("working_directory", run.working_directory);
  json.number("started_ns", run.started_unix_ns);
  json.number("duration_ns", run.duration_ns);
  write_exit(json, run.exit);
  write_recording(json, run.recording);
  write_machine(json, run);
  json.texts("environment", run.environment);
  json.number("sample_interval_ns", run.sample_interval_ns);
  json.number("max_depth", run.max_depth);
  json.text("start_on", run.start_on);
  write_sampling(json, run);
  write_tree_peak(json, run.tree_peak);
  json.begin_array("processes");
  for (const analysis::ProcessReport& process : run.processes) write_process(json, process);
  json.end_array();
  json.end_object();
  return json.take();
}

}  // namespace memswell::report
