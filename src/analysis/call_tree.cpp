#include "analysis/call_tree.h"

#include <algorithm>
#include <map>
#include <memory>
#include <tuple>

namespace memswell::analysis {
namespace {

// One step of a path: a frame of the table and one of its inlined levels.
struct Step {
  std::uint32_t frame = 0;
  std::uint32_t level = 0;
};

// Trees are walked by recursion. Nothing that was recorded is so deep: 4000 frames, and few of them inlined much.
constexpr std::size_t kMostSteps = 6'000;

// Innermost first, at most kMostSteps. Plumbing at the innermost end is left out, unless there is nothing else.
std::vector<Step> path_of(const StackTable& table, StackId stack) {
  std::vector<Step> path;
  bool inside_plumbing = true;
  for (StackId at = stack; at.value != 0 && path.size() < kMostSteps; at = table.stacks[at.value].parent) {
    const std::uint32_t index = table.stacks[at.value].frame;
    const NamedFrame& frame = table.frames[index];
    inside_plumbing = inside_plumbing && frame.plumbing;
    if (inside_plumbing) continue;
    for (std::uint32_t level = 0; level < frame.levels.size(); ++level) path.push_back({index, level});
  }
  if (path.empty() && stack.value != 0) path.push_back({table.stacks[stack.value].frame, 0});
  return path;
}

// Grows by name and place, so that return addresses of one line are one node.
struct Grower {
  using Key = std::tuple<std::string_view, std::string_view, std::uint32_t, std::string_view, std::uint64_t>;
  CallNode node;
  std::map<Key, std::unique_ptr<Grower>> children;

  Grower& child(const StackTable& table, Step step, bool inlined) {
    const NamedFrame& frame = table.frames[step.frame];
    const trace::SourceFrame& level = frame.levels[step.level];
    const Key key{level.function, level.file, level.line, frame.module,
                  level.function.empty() ? frame.frame.offset : 0};
    std::unique_ptr<Grower>& found = children[key];
    if (!found) {
      found = std::make_unique<Grower>();
      found->node = {level.function, level.file, level.line, frame.module, frame.frame.offset, inlined, 0, 0, {}};
    }
    return *found;
  }

  CallNode take() {
    for (auto& [key, grower] : children) node.children.push_back(grower->take());
    std::stable_sort(node.children.begin(), node.children.end(),
                     [](const CallNode& a, const CallNode& b) { return a.value > b.value; });
    return std::move(node);
  }
};

void grow(Grower& root, const StackTable& table, std::vector<Step> path, std::uint64_t value, Direction direction) {
  if (direction == Direction::top_down) std::reverse(path.begin(), path.end());
  Grower* at = &root;
  at->node.value += value;
  for (const Step& step : path) {
    // Level 0 is the innermost: all but the last level of a frame were inlined into the next.
    const bool inlined = step.level + 1 < table.frames[step.frame].levels.size();
    at = &at->child(table, step, inlined);
    at->node.value += value;
  }
  at->node.self += value;
}

}  // namespace

CallNode call_tree(const RunReport& run, const ProcessReport& process, Cost cost, Direction direction) {
  Grower root;
  for (const StackFigures& entry : process.stacks) {
    const std::uint64_t value = cost_of(entry.figures, cost);
    if (value == 0 || entry.stack.value >= run.stacks.stacks.size()) continue;
    grow(root, run.stacks, path_of(run.stacks, entry.stack), value, direction);
  }
  return root.take();
}

}  // namespace memswell::analysis
