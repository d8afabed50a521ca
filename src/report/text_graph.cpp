#include "report/text_graph.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/units.h"
#include "report/escape.h"

namespace memswell::report {
namespace {

using analysis::ProcessReport;
using analysis::TimelineRow;

constexpr std::size_t kAxisWidth = 11;  // "1023.9 MiB" and the line

struct Bar {
  Bytes rss = 0;
  Bytes live = 0;
};

struct Span {
  Nanoseconds begin = 0;
  Nanoseconds length = 1;
};

Span span_of(const ProcessReport& process) {
  const Nanoseconds begin = process.timeline.front().time_ns;
  const Nanoseconds end = process.timeline.back().time_ns;
  return {begin, std::max<Nanoseconds>(1, end - begin)};
}

std::size_t column_of(Nanoseconds time, const Span& span, std::size_t width) {
  const double share = static_cast<double>(time - std::min(time, span.begin)) / static_cast<double>(span.length);
  return std::min(width - 1, static_cast<std::size_t>(share * static_cast<double>(width)));
}

// The largest value in each column, so that no peak is lost; columns without a sample go on with the one before.
std::vector<Bar> bars_of(const ProcessReport& process, const Span& span, std::size_t width) {
  std::vector<Bar> bars(width);
  std::vector<bool> filled(width, false);
  for (const TimelineRow& row : process.timeline) {
    const std::size_t column = column_of(row.time_ns, span, width);
    bars[column].rss = std::max(bars[column].rss, row.rss_bytes);
    bars[column].live = std::max(bars[column].live, row.requested_bytes);
    filled[column] = true;
  }
  for (std::size_t i = 1; i < width; ++i) {
    if (!filled[i]) bars[i] = bars[i - 1];
  }
  return bars;
}

std::string graph_row(const std::vector<Bar>& bars, Bytes floor) {
  std::string out;
  for (const Bar& bar : bars) out += bar.rss <= floor ? " " : bar.live > floor ? "█" : "░";
  return out;
}

std::string phases_row(const ProcessReport& process, const Span& span, std::size_t width) {
  std::string out;
  std::size_t column = 0;
  for (const analysis::Phase& phase : process.phases) {
    const std::size_t at = column_of(phase.begin_ns, span, width);
    if (at < column) continue;  // no room: the label before covers it
    const std::string label = "^" + shortened(escaped(phase.name), width - at - 1);
    out += std::string(at - column, ' ') + label + " ";
    column = at + display_width(label) + 1;
  }
  return out;
}

}  // namespace

std::string text_graph(const ProcessReport& process, const Terminal& terminal, std::size_t height) {
  if (process.timeline.empty()) return {};
  const std::size_t width = std::max<std::size_t>(terminal.width, kAxisWidth + 20) - kAxisWidth - 1;
  const Span span = span_of(process);
  const std::vector<Bar> bars = bars_of(process, span, width);
  Bytes top = 0;
  for (const Bar& bar : bars) top = std::max(top, bar.rss);
  if (top == 0) return {};
  std::string out;
  for (std::size_t row = height; row-- > 0;) {
    const Bytes ceiling = top * (row + 1) / height;
    const Bytes floor = top / height * row + top / height / 2;  // a cell is filled from its middle on
    const bool labelled = row + 1 == height || row == (height - 1) / 2;
    out += fmt::format("{:>10} ┤{}\n", labelled ? format_bytes(ceiling) : "", graph_row(bars, floor));
  }
  const std::string end = format_duration(span.begin + span.length);
  const std::string begin = format_duration(span.begin);
  const std::size_t gap = width - std::min(width, display_width(begin) + display_width(end));
  out += fmt::format("{:>10} └{}{}{}\n", "", begin, std::string(gap, ' '), end);
  if (process.phases.size() > 1) out += std::string(kAxisWidth + 1, ' ') + phases_row(process, span, width) + "\n";
  return out + std::string(kAxisWidth + 1, ' ') + "█ live blocks   ░ the rest of what is resident\n";
}

}  // namespace memswell::report
