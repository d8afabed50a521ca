#include <fmt/format.h>

#include <algorithm>
#include <iterator>

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

// A node with all below it; without one, a line that stands behind those.
struct Branch {
  const CallNode* node = nullptr;
  std::size_t depth = 0;
  std::string line = {};
};

std::string hidden_text(std::uint64_t bytes, std::size_t count, std::size_t depth) {
  return fmt::format("{}n0: {} in {} place{}, {} below massif's threshold (1.00%)\n", std::string(depth, ' '), bytes, count,
                     count == 1 ? "" : "s", count == 1 ? "" : "all");
}

// "n2: 2000 0x0: f (a.c:3)": the number of branches below, the bytes, the place; one space a level. A list of what is yet to
// come instead of a recursion: a stack can be thousands of frames deep.
void append_tree(std::string& out, const CallNode& root, std::uint64_t total) {
  std::vector<Branch> pending{{.node = &root}};
  while (!pending.empty()) {
    const Branch branch = std::move(pending.back());
    pending.pop_back();
    if (branch.node == nullptr) {
      out += branch.line;
      continue;
    }
    const CallNode& node = *branch.node;
    std::vector<Branch> below;
    std::uint64_t hidden = 0;
    std::size_t hidden_count = 0;
    for (const CallNode& child : node.children) {
      if (child.value * kThreshold >= total) {
        below.push_back({.node = &child, .depth = branch.depth + 1});
      } else {
        hidden += child.value;
        ++hidden_count;
      }
    }
    const std::string where = branch.depth == 0 ? "(heap allocation functions) malloc/new/new[], --alloc-fns, etc."
                                                : fmt::format("{:#x}: {}", node.offset, node_text(node));
    if (hidden_count != 0) below.push_back({.line = hidden_text(hidden, hidden_count, branch.depth + 1)});
    out += fmt::format("{}n{}: {} {}\n", std::string(branch.depth, ' '), below.size(), node.value, where);
    std::move(below.rbegin(), below.rend(), std::back_inserter(pending));
  }
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
    if (i == peak_number) append_tree(out, root, root.value);
  }
  return out;
}

}  // namespace memswell::report
