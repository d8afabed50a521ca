#include <fmt/format.h>

#include <algorithm>

#include "analysis/call_tree.h"
#include "report/exports.h"
#include "report/selection.h"
#include "report/site_text.h"

namespace memswell::report {
namespace {

using analysis::CallNode;
using analysis::ProcessReport;

constexpr std::size_t kSnapshots = 1000;
constexpr std::uint64_t kThreshold = 100;  // branches below 1 % are summed, as massif does

struct Snapshot {
  Nanoseconds time = 0;
  Bytes live = 0;
  Bytes extra = 0;
};

std::string snapshot_text(std::size_t number, const Snapshot& snapshot, const std::string& tree) {
  return fmt::format("#-----------\nsnapshot={}\n#-----------\ntime={}\nmem_heap_B={}\nmem_heap_extra_B={}\nmem_stacks_B=0\nheap_tree={}",
                     number, snapshot.time / 1'000'000, snapshot.live, snapshot.extra, tree);
}

// "n2: 2000 0x0: f (a.c:3)": the number of branches below, the bytes, the place; one space a level.
void append_tree(std::string& out, const CallNode& node, std::uint64_t total, std::size_t depth) {
  std::vector<const CallNode*> shown;
  std::uint64_t hidden = 0;
  std::size_t hidden_count = 0;
  for (const CallNode& child : node.children) {
    if (child.value * kThreshold >= total) {
      shown.push_back(&child);
    } else {
      hidden += child.value;
      ++hidden_count;
    }
  }
  const std::string where =
      depth == 0 ? "(heap allocation functions) malloc/new/new[], --alloc-fns, etc."
                 : fmt::format("{:#x}: {}", node.offset, node_text(node));
  out += fmt::format("{}n{}: {} {}\n", std::string(depth, ' '), shown.size() + (hidden_count != 0 ? 1 : 0), node.value, where);
  for (const CallNode* child : shown) append_tree(out, *child, total, depth + 1);
  if (hidden_count != 0)
    out += fmt::format("{}n0: {} in {} place{}, {} below massif's threshold (1.00%)\n", std::string(depth + 1, ' '), hidden,
                       hidden_count, hidden_count == 1 ? "" : "s", hidden_count == 1 ? "" : "all");
}

std::vector<Snapshot> thinned_timeline(const ProcessReport& process) {
  std::vector<Snapshot> snapshots;
  const std::size_t step = std::max<std::size_t>(1, process.timeline.size() / kSnapshots);
  for (std::size_t i = 0; i < process.timeline.size(); i += step) {
    const analysis::TimelineRow& row = process.timeline[i];
    snapshots.push_back({row.time_ns, row.requested_bytes, row.usable_bytes - std::min(row.usable_bytes, row.requested_bytes)});
  }
  return snapshots;
}

}  // namespace

// The format of valgrind/massif/ms_main.c. One process: that of --process, else the one with the largest peak.
std::string export_massif(const analysis::RunReport& run, const ExportOptions& options) {
  const auto chosen = processes_with(run, options.pid);
  const ProcessReport* process = options.pid && !chosen.empty() ? chosen.front() : main_process(run);
  std::string out = fmt::format("desc: memswell\ncmd: {}\ntime_unit: ms\n", command_text(run.command, 1000));
  if (process == nullptr) return out;
  std::vector<Snapshot> snapshots = thinned_timeline(*process);
  const CallNode root = analysis::call_tree(run, *process, analysis::Cost::live_at_peak, analysis::Direction::bottom_up);
  const Snapshot peak{process->totals.peak_live_ns, process->totals.peak_live_bytes, process->totals.figures.slack_at_peak_bytes};
  const auto later = [&](const Snapshot& snapshot) { return snapshot.time > peak.time; };
  const auto place = snapshots.insert(std::find_if(snapshots.begin(), snapshots.end(), later), peak);
  const auto peak_number = static_cast<std::size_t>(place - snapshots.begin());
  for (std::size_t i = 0; i < snapshots.size(); ++i) {
    out += snapshot_text(i, snapshots[i], i == peak_number ? "peak" : "empty") + "\n";
    if (i == peak_number) append_tree(out, root, root.value, 0);
  }
  return out;
}

}  // namespace memswell::report
