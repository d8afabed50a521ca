#include "tests/hostile/whole_report.h"

#include "analysis/analyse.h"
#include "report/comparison.h"
#include "report/exports.h"
#include "report/json_report.h"
#include "report/limits.h"
#include "report/live_timeline.h"
#include "report/site_report.h"
#include "report/story.h"
#include "report/summary.h"
#include "report/text_graph.h"
#include "report/timeline.h"
#include "symbols/plumbing.h"
#include "tests/hostile/memory_file.h"

namespace memswell::hostile {
namespace {

using analysis::RunReport;
using report::Terminal;

constexpr Terminal kPlain{};
constexpr report::TimelineSelection kEveryRow{};
constexpr report::TimelineSelection kEveryMapping{.per_mapping = report::PerMapping::yes};

Rendered kind_of(std::string_view format) {
  if (format == "pprof" || format == "sqlite") return Rendered::binary;
  return format == "speedscope" || format == "firefox" ? Rendered::json : Rendered::text;
}

void add_exports(const RunReport& run, std::vector<Rendering>& out) {
  for (const report::ExportFormat& format : report::export_formats())
    out.push_back({"export " + std::string(format.name), kind_of(format.name), format.write(run, {})});
}

void add_sites(const RunReport& run, std::vector<Rendering>& out) {
  report::SiteReportOptions options{.top = 100, .processes = {.all = true}, .stacks = true};
  out.push_back({"report --stack", Rendered::text, report::site_report(run, options, kPlain)});
  options.tree = analysis::Direction::top_down;
  out.push_back({"report --tree top-down", Rendered::text, report::site_report(run, options, kPlain)});
  options.tree = analysis::Direction::bottom_up;
  out.push_back({"report --tree bottom-up", Rendered::text, report::site_report(run, options, kPlain)});
}

void add_timelines(const RunReport& run, std::vector<Rendering>& out) {
  const auto processes = report::processes_with(run, std::nullopt);
  out.push_back({"timeline -f csv", Rendered::text, report::timeline_csv(processes, kEveryRow)});
  out.push_back({"timeline -f json", Rendered::json, report::timeline_json(processes, kEveryRow)});
  out.push_back({"timeline --per-mapping -f csv", Rendered::text, report::timeline_csv(processes, kEveryMapping)});
  out.push_back({"timeline --per-mapping -f json", Rendered::json, report::timeline_json(processes, kEveryMapping)});
  for (const analysis::ProcessReport* process : processes) {
    out.push_back({"timeline", Rendered::text, report::timeline_table(*process, kEveryRow, kPlain)});
    out.push_back({"timeline --per-mapping", Rendered::text, report::timeline_table(*process, kEveryMapping, kPlain)});
    out.push_back({"timeline -f smaps", Rendered::text, report::timeline_smaps(*process, kEveryRow)});
    out.push_back({"timeline --graph", Rendered::text, report::text_graph(*process, kPlain)});
  }
}

void add_document(const RunReport& run, std::vector<Rendering>& out) {
  out.push_back({"report --json", Rendered::json, report::json_report(run)});
}

void add_prose(const RunReport& run, std::vector<Rendering>& out) {
  out.push_back({"run", Rendered::text, report::summary(run, "a.swell", kPlain)});
  out.push_back({"explain", Rendered::text,
                 report::story(run, {.processes = {.all = true}, .all_ledgers = true}, kPlain)});
}

void add_comparison(const RunReport& run, std::vector<Rendering>& out) {
  const std::vector<report::ComparedRun> twice{{"a", &run}, {"b", &run}};
  out.push_back({"compare", Rendered::text, report::comparison(twice, kPlain)});
  out.push_back({"compare --json", Rendered::json, report::comparison_json(twice)});
}

void add_checks(const RunReport& run, std::vector<Rendering>& out) {
  std::vector<report::Limit> limits;
  for (const report::LimitKind& kind : report::limit_kinds()) limits.push_back({&kind, 1});
  out.push_back({"check", Rendered::text, report::check_limits(run, limits, kPlain).text});
}

}  // namespace

Result<RunReport> report_of(std::string_view recording) {
  const MemoryFile file(recording);
  static const auto plumbing = symbols::Plumbing::with_skips({});
  analysis::Options options;
  options.keep_mappings = true;
  options.plumbing = [](std::string_view function, std::string_view module) {
    return plumbing->kind(function, module).has_value();
  };
  return analysis::analyse(file.path(), options);
}

std::span<const Renderer> renderers() {
  static constexpr Renderer kAll[] = {add_document, add_prose, add_comparison, add_sites, add_timelines, add_exports, add_checks};
  return kAll;
}

std::vector<Rendering> renderings_of(const RunReport& run) {
  std::vector<Rendering> out;
  for (const Renderer render : renderers()) render(run, out);
  return out;
}

}  // namespace memswell::hostile
