#include "report/site_report.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/units.h"
#include "report/call_tree_text.h"
#include "report/error_bars.h"
#include "report/escape.h"
#include "report/selection.h"
#include "report/site_text.h"
#include "report/stack_text.h"
#include "report/summary.h"
#include "report/table.h"

namespace memswell::report {
namespace {

using analysis::Cost;
using analysis::ProcessReport;
using analysis::RunReport;
using analysis::Site;

enum class CostUnit { bytes, count };

struct CostText {
  Cost cost;
  std::string_view name;   // --sort
  std::string_view words;
  CostUnit unit;
};

constexpr CostText kCosts[] = {
    {Cost::live_at_peak, "peak", "live at the peak", CostUnit::bytes},
    {Cost::own_peak, "own-peak", "at the site's own peak", CostUnit::bytes},
    {Cost::allocated, "allocated", "allocated", CostUnit::bytes},
    {Cost::calls, "calls", "calls", CostUnit::count},
    {Cost::temporary, "temporary", "temporary blocks", CostUnit::count},
    {Cost::unfreed, "unfreed", "not freed at exit", CostUnit::bytes},
    {Cost::slack, "rounding", "rounding at the peak", CostUnit::bytes},
};

const CostText& text_of(Cost cost) {
  return *std::find_if(std::begin(kCosts), std::end(kCosts), [&](const CostText& text) { return text.cost == cost; });
}

std::vector<const Site*> sorted_sites(const ProcessReport& process, Cost cost) {
  std::vector<const Site*> sites;
  for (const Site& site : process.sites) {
    if (analysis::cost_of(site.figures, cost) != 0) sites.push_back(&site);
  }
  std::stable_sort(sites.begin(), sites.end(), [cost](const Site* a, const Site* b) {
    return analysis::cost_of(a->figures, cost) > analysis::cost_of(b->figures, cost);
  });
  return sites;
}

std::string headline(const ProcessReport& process, const Terminal& terminal) {
  std::string text = fmt::format("{}   pid {}, {}", command_text(process.command), process.pid, exit_text(process.exit));
  if (!process.allocator.empty()) text += ", allocator " + escaped(process.allocator);
  return terminal.paint(Colour::strong, text) + "\n";
}

std::string totals_line(const ProcessReport& process) {
  const analysis::ProcessTotals& totals = process.totals;
  if (process.capture == trace::Capture::sampler)
    return fmt::format("  sampled from outside, no calls recorded: {}\n", escaped(process.capture_reason));
  // Of a sample the blocks at the peak were not counted.
  const std::string blocks =
      totals.peak_live_blocks == 0 ? "" : fmt::format(" in {} blocks", format_count(totals.peak_live_blocks));
  return fmt::format("  {} calls for {}; live at most {}{}, at exit {} in {}; peak RSS {}, private dirty {}\n",
                     format_count(totals.figures.calls), format_bytes(totals.figures.allocated_bytes),
                     format_bytes(totals.peak_live_bytes), blocks, format_bytes(totals.live_bytes_at_exit), format_count(totals.live_blocks_at_exit),
                     format_bytes(totals.peak_rss_bytes), format_bytes(totals.peak_private_dirty_bytes));
}

Table empty_site_table() {
  return Table({{"at peak"}, {"own peak"}, {"allocated"}, {"calls"}, {"temporary"}, {"unfreed"}, {"rounding"},
                {"site", Align::left, true}});
}

void add_site(Table& table, const Site& site) {
  const analysis::Figures& f = site.figures;
  table.add({format_bytes(f.live_at_peak_bytes) + error_text(f.live_at_peak_bytes, f.live_at_peak_variance),
             format_bytes(f.peak_live_bytes),
             format_bytes(f.allocated_bytes) + error_text(f.allocated_bytes, f.allocated_variance),
             format_count(f.calls) + error_text(f.calls, f.calls_variance), format_count(f.temporary),
             format_bytes(f.live_bytes) + error_text(f.live_bytes, f.live_variance),
             format_bytes(f.slack_at_peak_bytes), site_text(site)});
}

std::string rest_line(std::size_t sites, std::size_t shown) {
  if (sites <= shown) return {};
  return fmt::format("  and {} more {}: --top {}\n", format_count(sites - shown), sites - shown == 1 ? "site" : "sites", sites);
}

std::string table_of_sites(const RunReport& run, const ProcessReport& process, const SiteReportOptions& options,
                           const Terminal& terminal) {
  const std::vector<const Site*> sites = sorted_sites(process, options.cost);
  const std::size_t shown = std::min(options.top, sites.size());
  std::string out = fmt::format("  sites by {}\n", cost_words(options.cost));
  if (sites.empty()) return out + "  none\n";
  if (!options.stacks) {
    Table table = empty_site_table();
    for (std::size_t i = 0; i < shown; ++i) add_site(table, *sites[i]);
    return out + table.text(terminal, 2) + rest_line(sites.size(), shown);
  }
  for (std::size_t i = 0; i < shown; ++i) {
    Table table = empty_site_table();
    add_site(table, *sites[i]);
    out += table.text(terminal, 2) + stack_text(run.stacks, sites[i]->example, terminal, 4) + "\n";
  }
  return out + rest_line(sites.size(), shown);
}

}  // namespace

std::vector<std::string> cost_names() {
  std::vector<std::string> names;
  for (const CostText& text : kCosts) names.emplace_back(text.name);
  return names;
}

std::optional<Cost> cost_named(std::string_view name) {
  for (const CostText& text : kCosts) {
    if (text.name == name) return text.cost;
  }
  return std::nullopt;
}

std::string_view cost_words(Cost cost) { return text_of(cost).words; }

std::string cost_value(Cost cost, std::uint64_t value) {
  return text_of(cost).unit == CostUnit::bytes ? format_bytes(value) : format_count(value);
}

std::string site_report(const RunReport& run, const SiteReportOptions& options, const Terminal& terminal) {
  std::string out;
  for (const ProcessReport* process : chosen_processes(run, options.processes)) {
    if (!out.empty()) out += "\n";
    out += headline(*process, terminal) + totals_line(*process);
    if (process->capture == trace::Capture::sampler) continue;
    out += options.tree ? call_tree_text(run, *process, options.cost, *options.tree, options.top, terminal)
                        : table_of_sites(run, *process, options, terminal);
  }
  return out + left_out_text(run, options.processes) + capture_notes(run, terminal, 0);
}

}  // namespace memswell::report
