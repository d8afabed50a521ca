#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "base/units.h"
#include "report/html_graphs.h"
#include "report/html_text.h"
#include "report/terminal.h"

namespace memswell::report {
namespace {

using analysis::TimelineRow;

constexpr double kWidth = 1000, kHeight = 240, kTop = 24, kBottom = 20;
constexpr std::size_t kMostPoints = 1000;  // a pixel each
constexpr double kLeastLabel = 40;         // narrower phases have no name, only a title

struct Scale {
  Nanoseconds begin = 0, end = 1;
  Bytes most = 1;

  double x(Nanoseconds time) const {
    const Nanoseconds inside = std::clamp(time, begin, end) - begin;
    return static_cast<double>(inside) / static_cast<double>(end - begin) * kWidth;
  }
  double y(Bytes bytes) const {
    return kHeight - kBottom - static_cast<double>(bytes) / static_cast<double>(most) * (kHeight - kTop - kBottom);
  }
};

Scale scale_of(const analysis::ProcessReport& process) {
  Scale scale{process.timeline.front().time_ns, process.timeline.back().time_ns, 1};
  scale.end = std::max(scale.end, scale.begin + 1);
  for (const TimelineRow& row : process.timeline) scale.most = std::max({scale.most, row.rss_bytes, row.requested_bytes});
  scale.most = std::max(scale.most, process.totals.peak_rss_bytes);
  return scale;
}

// Of several rows at one place the largest is shown: a peak is never left out.
std::string line(const analysis::ProcessReport& process, const Scale& scale, Bytes TimelineRow::*member, const char* style) {
  const std::size_t step = process.timeline.size() / kMostPoints + 1;
  std::string points;
  for (std::size_t i = 0; i < process.timeline.size(); i += step) {
    const TimelineRow* largest = &process.timeline[i];
    for (std::size_t k = i; k < std::min(i + step, process.timeline.size()); ++k) {
      if (process.timeline[k].*member > largest->*member) largest = &process.timeline[k];
    }
    points += fmt::format("{:.1f},{:.1f} ", scale.x(largest->time_ns), scale.y(largest->*member));
  }
  return fmt::format("<polyline class=\"{}\" points=\"{}\"/>\n", style, points);
}

std::string phase_band(const analysis::Phase& phase, const Scale& scale, std::size_t number) {
  const double left = scale.x(phase.begin_ns), width = scale.x(phase.end_ns) - left;
  const std::string title =
      phase.name + ": peak " + format_bytes(phase.peak_rss_bytes) + ", at its end " + format_bytes(phase.end_rss_bytes);
  std::string out = html_element("title", html_text(title));
  out += fmt::format("<rect class=\"phase{}\" x=\"{:.1f}\" y=\"0\" width=\"{:.1f}\" height=\"{}\"/>", number % 2, left,
                     std::max(width, 0.0), kHeight - kBottom);
  if (width >= kLeastLabel) {
    const std::string name = html_text(shortened(phase.name, static_cast<std::size_t>(width / 7)));
    out += html_element("text", name, fmt::format(" x=\"{:.1f}\" y=\"14\"", left + 4));
  }
  return html_element("g", out) + "\n";
}

std::string axes(const Scale& scale) {
  std::string out;
  for (const Bytes bytes : {scale.most, scale.most / 2}) {
    out += fmt::format("<line x1=\"0\" x2=\"{}\" y1=\"{:.1f}\" y2=\"{:.1f}\"/>", kWidth, scale.y(bytes), scale.y(bytes));
    out += html_element("text", format_bytes(bytes), fmt::format(" x=\"{}\" y=\"{:.1f}\" class=\"end\"", kWidth - 2, scale.y(bytes) + 12));
  }
  out += html_element("text", format_duration(scale.begin), fmt::format(" x=\"0\" y=\"{}\"", kHeight - 5));
  return out + html_element("text", format_duration(scale.end), fmt::format(" x=\"{}\" y=\"{}\" class=\"end\"", kWidth - 2, kHeight - 5)) + "\n";
}

}  // namespace

std::string html_timeline(const analysis::ProcessReport& process) {
  if (process.timeline.size() < 2) return {};
  const Scale scale = scale_of(process);
  std::string out;
  for (std::size_t i = 0; i < process.phases.size(); ++i) out += phase_band(process.phases[i], scale, i);
  out += axes(scale);
  out += line(process, scale, &TimelineRow::requested_bytes, "live");
  out += line(process, scale, &TimelineRow::rss_bytes, "rss");
  return html_element("svg", "\n" + out, fmt::format(" class=\"timeline\" viewBox=\"0 0 {} {}\"", kWidth, kHeight)) +
         "\n<p class=\"legend\"><span class=\"rss\">resident (RSS)</span> <span class=\"live\">requested, live</span></p>\n";
}

}  // namespace memswell::report
