#include "report/json_process.h"

#include "report/error_bars.h"
#include "report/figure_keys.h"
#include "report/json_ledger.h"
#include "report/json_story.h"

namespace memswell::report {
namespace {

using analysis::Phase;
using analysis::ProcessReport;
using analysis::ProcessTotals;
using analysis::Site;

template <class T, std::size_t n>
void write_keys(JsonWriter& json, const T& value, const FigureKey<T> (&keys)[n]) {
  for (const FigureKey<T>& key : keys) json.number(key.name, value.*key.member);
}

void write_totals(JsonWriter& json, const ProcessTotals& totals) {
  json.begin_object("totals");
  write_keys(json, totals.figures, kTotalFigureKeys);
  write_keys(json, totals, kTotalKeys);
  json.flag("peak_rss_is_lower_bound", totals.peak_rss_is_lower_bound);
  json.flag("end_known", totals.end_known);
  json.flag("counted", totals.counted);
  json.text("unnamed_module", totals.unnamed_module);
  json.text("unnamed_note", totals.unnamed_note);
  json.end_object();
}

void write_earlier(JsonWriter& json, const ProcessReport& process) {
  if (!process.earlier) return json.null("before_start");
  json.begin_object("before_start");
  json.flag("reached", process.earlier->reached);
  write_keys(json, *process.earlier, kEarlierKeys);
  json.end_object();
}

void write_phase(JsonWriter& json, const Phase& phase) {
  json.begin_object();
  json.text("name", phase.name);
  json.number("announced_by", phase.announced_by);
  write_keys(json, phase, kPhaseKeys);
  json.flag("peak_rss_exact", phase.peak_rss_exact);
  json.flag("private_dirty_known", phase.private_dirty_known);
  json.flag("peak_private_dirty_sampled", phase.peak_private_dirty_sampled);
  json.end_object();
}

void write_site(JsonWriter& json, const Site& site) {
  json.begin_object();
  json.text("function", site.function);
  json.text("file", site.file);
  json.number("line", site.line);
  json.text("module", site.module);
  json.number("offset", site.offset);
  write_keys(json, site.figures, kSiteFigureKeys);
  write_keys(json, site, kSiteKeys);
  json.number("calls_error", standard_error_of(site.figures.calls_variance));
  json.number("bytes_error", standard_error_of(site.figures.allocated_variance));
  json.number("live_error", standard_error_of(site.figures.live_variance));
  json.number("live_at_peak_error", standard_error_of(site.figures.live_at_peak_variance));
  json.end_object();
}

void write_lifetimes(JsonWriter& json, const analysis::Lifetimes& lifetimes) {
  json.begin_array("lifetimes");
  for (std::size_t i = 0; i < analysis::kLifetimeBuckets; ++i) {
    json.begin_object();
    json.number("blocks", lifetimes.blocks[i]);
    json.number("bytes", lifetimes.bytes[i]);
    json.end_object();
  }
  json.end_array();
}

template <class T, class Write>
void write_list(JsonWriter& json, const char* key, const std::vector<T>& values, Write write) {
  json.begin_array(key);
  for (const T& value : values) write(json, value);
  json.end_array();
}

}  // namespace

namespace {

void write_group(JsonWriter& json, const trace::GroupMemory& group) {
  json.begin_object("cgroup");
  json.number("time_ns", group.time);
  if (group.limit_bytes != 0) {
    json.number("limit_bytes", group.limit_bytes);
  } else {
    json.null("limit_bytes");
  }
  json.number("current_bytes", group.current_bytes);
  json.number("anon_bytes", group.anon_bytes);
  json.number("file_bytes", group.file_bytes);
  json.number("kernel_bytes", group.kernel_bytes);
  json.end_object();
}

}  // namespace

void write_exit(JsonWriter& json, const analysis::ExitStatus& exit) {
  json.begin_object("exit");
  if (exit.code >= 0) {
    json.number("code", exit.code);
  } else {
    json.null("code");
  }
  if (exit.signal > 0) {
    json.number("signal", exit.signal);
  } else {
    json.null("signal");
  }
  json.text("reason", analysis::exit_reason_key(exit.reason));
  if (exit.group) write_group(json, *exit.group);
  json.end_object();
}

void write_process(JsonWriter& json, const ProcessReport& process) {
  json.begin_object();
  json.number("pid", process.pid);
  json.number("ppid", process.ppid);
  json.text("start", process.start == trace::ProcessStart::fork ? "fork" : "exec");
  json.texts("command", process.command);
  json.text("executable", process.executable);
  json.text("allocator", process.allocator);
  json.text("capture", process.capture == trace::Capture::full ? "full" : "sampler");
  json.text("reason", process.capture_reason);
  json.number("begin_ns", process.begin_ns);
  json.number("end_ns", process.end_ns);
  write_exit(json, process.exit);
  write_totals(json, process.totals);
  write_earlier(json, process);
  write_list(json, "phases", process.phases, write_phase);
  json.number("peak_snapshot", process.peak_snapshot);
  json.number("exit_snapshot", process.exit_snapshot);
  write_list(json, "snapshots", process.snapshots, write_snapshot);
  write_list(json, "sites", process.sites, write_site);
  write_lifetimes(json, process.lifetimes);
  write_list(json, "pulses", process.pulses, write_pulse);
  write_list(json, "findings", process.findings,
             [&process](JsonWriter& out, const analysis::Finding& finding) { write_finding(out, finding, process); });
  json.end_object();
}

}  // namespace memswell::report
