#include "report/json_process.h"

#include "report/json_ledger.h"
#include "report/json_story.h"

namespace memswell::report {
namespace {

using analysis::Figures;
using analysis::Phase;
using analysis::ProcessReport;
using analysis::ProcessTotals;
using analysis::Site;

template <class T>
struct Key {
  const char* name;
  std::uint64_t T::*member;
};

template <class T, std::size_t n>
void write_keys(JsonWriter& json, const T& value, const Key<T> (&keys)[n]) {
  for (const Key<T>& key : keys) json.number(key.name, value.*key.member);
}

constexpr Key<Figures> kTotalFigures[] = {
    {"calls", &Figures::calls},
    {"allocated_bytes", &Figures::allocated_bytes},
    {"frees", &Figures::frees},
    {"temporary", &Figures::temporary},
    {"reallocs", &Figures::reallocs},
    {"reallocs_moved", &Figures::reallocs_moved},
    {"realloc_copied_bytes", &Figures::realloc_copied_bytes},
    {"callocs", &Figures::callocs},
    {"calloc_bytes", &Figures::calloc_bytes},
    {"slack_bytes_at_exit", &Figures::slack_bytes},
};

constexpr Key<ProcessTotals> kTotals[] = {
    {"live_blocks_at_exit", &ProcessTotals::live_blocks_at_exit},
    {"live_bytes_at_exit", &ProcessTotals::live_bytes_at_exit},
    {"inherited_blocks", &ProcessTotals::inherited_blocks},
    {"inherited_bytes", &ProcessTotals::inherited_bytes},
    {"inherited_live_at_exit", &ProcessTotals::inherited_live_at_exit},
    {"peak_live_bytes", &ProcessTotals::peak_live_bytes},
    {"peak_live_blocks", &ProcessTotals::peak_live_blocks},
    {"peak_live_ns", &ProcessTotals::peak_live_ns},
    {"peak_rss_bytes", &ProcessTotals::peak_rss_bytes},
    {"peak_rss_ns", &ProcessTotals::peak_rss_ns},
    {"peak_rss_sampled_bytes", &ProcessTotals::peak_rss_sampled_bytes},
    {"peak_private_dirty_bytes", &ProcessTotals::peak_private_dirty_bytes},
    {"peak_private_dirty_ns", &ProcessTotals::peak_private_dirty_ns},
    {"end_rss_bytes", &ProcessTotals::end_rss_bytes},
    {"end_private_dirty_bytes", &ProcessTotals::end_private_dirty_bytes},
    {"end_rss_ns", &ProcessTotals::end_rss_ns},
    {"own_peak_bytes", &ProcessTotals::own_peak_bytes},
    {"own_private_dirty_bytes", &ProcessTotals::own_private_dirty_bytes},
    {"replaced", &ProcessTotals::replaced},
    {"unmatched_frees", &ProcessTotals::unmatched_frees},
    {"uncertain_blocks", &ProcessTotals::uncertain_blocks},
    {"lost_events", &ProcessTotals::lost_events},
    {"ring_waits", &ProcessTotals::ring_waits},
    {"walks_compared", &ProcessTotals::walks_compared},
    {"walks_different", &ProcessTotals::walks_different},
    {"threads", &ProcessTotals::threads},
    {"unnamed_at_peak_bytes", &ProcessTotals::unnamed_at_peak_bytes},
};

constexpr Key<Phase> kPhase[] = {
    {"begin_ns", &Phase::begin_ns},
    {"end_ns", &Phase::end_ns},
    {"begin_rss_bytes", &Phase::begin_rss_bytes},
    {"begin_private_dirty_bytes", &Phase::begin_private_dirty_bytes},
    {"begin_live_bytes", &Phase::begin_live_bytes},
    {"peak_rss_bytes", &Phase::peak_rss_bytes},
    {"peak_rss_bound_bytes", &Phase::peak_rss_bound_bytes},
    {"peak_private_dirty_bytes", &Phase::peak_private_dirty_bytes},
    {"peak_live_bytes", &Phase::peak_live_bytes},
    {"peak_live_ns", &Phase::peak_live_ns},
    {"end_rss_bytes", &Phase::end_rss_bytes},
    {"end_private_dirty_bytes", &Phase::end_private_dirty_bytes},
    {"end_live_bytes", &Phase::end_live_bytes},
    {"calls", &Phase::calls},
    {"allocated_bytes", &Phase::allocated_bytes},
};

constexpr Key<Figures> kSiteFigures[] = {
    {"calls", &Figures::calls},
    {"bytes", &Figures::allocated_bytes},
    {"frees", &Figures::frees},
    {"live_blocks", &Figures::live_blocks},
    {"live_bytes", &Figures::live_bytes},
    {"peak_live_bytes", &Figures::peak_live_bytes},
    {"live_at_peak_bytes", &Figures::live_at_peak_bytes},
    {"live_at_peak_blocks", &Figures::live_at_peak_blocks},
    {"slack_bytes", &Figures::slack_bytes},
    {"slack_at_peak_bytes", &Figures::slack_at_peak_bytes},
    {"temporary", &Figures::temporary},
    {"reallocs", &Figures::reallocs},
    {"reallocs_moved", &Figures::reallocs_moved},
    {"realloc_copied_bytes", &Figures::realloc_copied_bytes},
    {"callocs", &Figures::callocs},
    {"calloc_bytes", &Figures::calloc_bytes},
};

constexpr Key<Site> kSite[] = {
    {"untouched_bytes", &Site::untouched_bytes},
    {"untouched_at_exit_bytes", &Site::untouched_at_exit_bytes},
    {"pinned_bytes", &Site::pinned_bytes},
    {"overallocated_bytes", &Site::overallocated_bytes},
    {"mapped_resident_bytes", &Site::mapped_resident_bytes},
};

void write_totals(JsonWriter& json, const ProcessTotals& totals) {
  json.begin_object("totals");
  write_keys(json, totals.figures, kTotalFigures);
  write_keys(json, totals, kTotals);
  json.flag("peak_rss_is_lower_bound", totals.peak_rss_is_lower_bound);
  json.flag("end_known", totals.end_known);
  json.text("unnamed_module", totals.unnamed_module);
  json.text("unnamed_note", totals.unnamed_note);
  json.end_object();
}

void write_phase(JsonWriter& json, const Phase& phase) {
  json.begin_object();
  json.text("name", phase.name);
  json.number("announced_by", phase.announced_by);
  write_keys(json, phase, kPhase);
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
  write_keys(json, site.figures, kSiteFigures);
  write_keys(json, site, kSite);
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
