#include <fmt/format.h>

#include <algorithm>

#include "analysis/call_tree.h"
#include "base/units.h"
#include "report/html_graphs.h"
#include "report/html_text.h"
#include "report/site_text.h"
#include "report/terminal.h"

namespace memswell::report {
namespace {

using analysis::CallNode;

constexpr double kWidth = 1000, kRow = 17;
constexpr double kLeastWidth = 1;  // narrower ones would not be seen, and are as many as all others
constexpr double kLeastText = 30;
constexpr double kCharacter = 6.6;
constexpr int kMostRows = 64;
constexpr int kColours = 6;

struct Graph {
  const CallNode& root;
  std::string out = {};
  int rows = 0;

  double width_of(const CallNode& node) const {
    return static_cast<double>(node.value) / static_cast<double>(root.value) * kWidth;
  }
};

std::string frame_html(const Graph& graph, const CallNode& node, const std::string& name, double left, int row) {
  const double width = graph.width_of(node);
  std::string out = html_element("title", html_text(fmt::format("{}: {}, {}", name, format_bytes(node.value),
                                                                format_percent(node.value, graph.root.value))));
  out += fmt::format("<rect class=\"f{}\" x=\"{:.2f}\" y=\"{}\" width=\"{:.2f}\" height=\"{}\"/>",
                     std::hash<std::string>{}(name) % kColours, left, row * kRow, width, kRow - 1);
  if (width >= kLeastText) {
    const std::string shown = shortened(name, static_cast<std::size_t>((width - 4) / kCharacter));
    out += html_element("text", html_text(shown), fmt::format(" x=\"{:.2f}\" y=\"{}\"", left + 3, row * kRow + 12));
  }
  return html_element("g", out) + "\n";
}

void draw(Graph& graph, const CallNode& node, const std::string& name, double left, int row) {
  if (graph.width_of(node) < kLeastWidth || row >= kMostRows) return;
  graph.out += frame_html(graph, node, name, left, row);
  graph.rows = std::max(graph.rows, row + 1);
  for (const CallNode& child : node.children) {
    draw(graph, child, node_text(child), left, row + 1);
    left += graph.width_of(child);
  }
}

}  // namespace

std::string html_flame_graph(const analysis::RunReport& run, const analysis::ProcessReport& process) {
  const CallNode root = analysis::call_tree(run, process, analysis::Cost::live_at_peak, analysis::Direction::top_down);
  if (root.value == 0) return {};
  Graph graph{root};
  draw(graph, root, "all", 0, 0);
  return html_element("svg", "\n" + graph.out,
                      fmt::format(" class=\"flame\" viewBox=\"0 0 {} {}\"", kWidth, graph.rows * kRow)) + "\n";
}

std::string html_ledger_bar(const analysis::LedgerSnapshot& snapshot) {
  if (snapshot.rss_bytes == 0) return {};
  std::string out;
  double left = 0;
  for (const analysis::LedgerRow& row : snapshot.rows) {
    const double width = static_cast<double>(row.bytes) / static_cast<double>(snapshot.rss_bytes) * kWidth;
    if (row.bytes == 0) continue;
    const auto owner = static_cast<std::size_t>(row.owner);
    const std::string title = fmt::format("{}: {}", analysis::kOwnerTexts[owner].words, format_bytes(row.bytes));
    out += html_element("g", html_element("title", html_text(title)) +
                                 fmt::format("<rect class=\"o{}\" x=\"{:.2f}\" y=\"0\" width=\"{:.2f}\" height=\"22\"/>",
                                             owner, left, width));
    left += width;
  }
  return html_element("svg", out, " class=\"bar\" viewBox=\"0 0 1000 22\" preserveAspectRatio=\"none\"") + "\n";
}

}  // namespace memswell::report
