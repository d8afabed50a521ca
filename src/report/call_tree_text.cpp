#include "report/call_tree_text.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/units.h"
#include "report/site_report.h"
#include "report/site_text.h"

namespace memswell::report {
namespace {

using analysis::CallNode;

constexpr std::uint64_t kSmallestShare = 100;  // 1/100 of the total
constexpr std::size_t kDeepestIndent = 40;

class TreePrinter {
 public:
  TreePrinter(analysis::Cost cost, std::uint64_t total, const Terminal& terminal)
      : cost_(cost), total_(total), terminal_(terminal) {}

  // Depth is bounded by the stacks' (--max-depth), so recursion is.
  void print(const CallNode& node, std::size_t indent, bool in_chain = false) {
    line(node, indent, in_chain);
    std::size_t hidden = 0;
    std::uint64_t hidden_value = 0;
    const bool branches = node.children.size() > 1 || node.self != 0;
    for (const CallNode& child : node.children) {
      if (child.value * kSmallestShare < total_) {
        ++hidden;
        hidden_value += child.value;
      } else {
        print(child, branches ? indent + 1 : indent, !branches);
      }
    }
    if (hidden != 0) rest(hidden, hidden_value, indent + 1);
  }

  std::string take() { return std::move(out_); }

 private:
  void line(const CallNode& node, std::size_t indent, bool in_chain) {
    const std::string text =
        fmt::format("  {:>12} {:>5}  {}{}{}", cost_value(cost_, node.value), format_percent(node.value, total_),
                    margin(indent), in_chain ? "↳ " : "", node_text(node));
    out_ += (terminal_.interactive ? shortened(text, terminal_.width) : text) + "\n";
  }

  void rest(std::size_t branches, std::uint64_t value, std::size_t indent) {
    out_ += fmt::format("  {:>12} {:>5}  {}… {} smaller {}\n", cost_value(cost_, value), format_percent(value, total_),
                        margin(indent), branches, branches == 1 ? "branch" : "branches");
  }

  static std::string margin(std::size_t indent) { return std::string(2 * std::min(indent, kDeepestIndent), ' '); }

  analysis::Cost cost_;
  std::uint64_t total_;
  const Terminal& terminal_;
  std::string out_;
};

}  // namespace

std::string call_tree_text(const analysis::RunReport& run, const analysis::ProcessReport& process, analysis::Cost cost,
                           analysis::Direction direction, std::size_t top, const Terminal& terminal) {
  const CallNode root = analysis::call_tree(run, process, cost, direction);
  const char* order = direction == analysis::Direction::top_down ? "callers above callees" : "sites above their callers";
  std::string out = fmt::format("  call tree by {}, {}; {} in all\n", cost_words(cost), order, cost_value(cost, root.value));
  TreePrinter printer(cost, root.value, terminal);
  for (std::size_t i = 0; i < std::min(top, root.children.size()); ++i) printer.print(root.children[i], 0);
  out += printer.take();
  if (root.children.size() > top)
    out += fmt::format("  and {} more branches: --top {}\n", root.children.size() - top, root.children.size());
  return out;
}

}  // namespace memswell::report
