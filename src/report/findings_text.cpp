#include "report/findings_text.h"

#include <fmt/format.h>

#include <algorithm>

#include "report/escape.h"
#include "base/units.h"

namespace memswell::report {
namespace {

using analysis::Finding;
using analysis::Pulse;
using analysis::PulseCause;

std::string finding_text(const Finding& finding, std::size_t number, const Terminal& terminal) {
  std::string text = fmt::format("{:3}  {}", number, escaped(finding.sentence));
  if (!finding.cause.empty()) text += " " + escaped(finding.cause);
  text += certainty_text(finding.certainty);
  std::string out = wrapped(text, terminal.width, 5) + "\n";
  if (!finding.remedy.empty())
    out += wrapped(fmt::format("     {} {}{}", "Try:", escaped(finding.remedy), effect_text(finding)), terminal.width, 5) + "\n";
  return out;
}

std::string causes_text(const Pulse& pulse, PulseCause::Of of, const char* heading, const Terminal& terminal) {
  constexpr std::size_t kShown = 4;
  std::string out;
  std::size_t shown = 0;
  for (const PulseCause& cause : pulse.causes) {
    if (cause.of != of || shown++ == kShown) continue;
    out += wrapped(fmt::format("      {:>12}  {}", format_signed_bytes(cause.bytes), escaped(cause.sentence)),
                   terminal.width, 20) + "\n";
  }
  return out.empty() ? out : fmt::format("    {}\n{}", heading, out);
}

std::string pulse_text(const Pulse& pulse, std::size_t number, const Terminal& terminal) {
  std::string out = fmt::format("  {}  {} to {}: ", number, format_duration(pulse.begin_ns), format_duration(pulse.end_ns));
  out += escaped(pulse.sentence);
  if (!pulse.comparison.empty()) out += " " + escaped(pulse.comparison);
  if (!pulse.exact) out += " [taken apart by live blocks only: no snapshot at its ends]";
  out = wrapped(out, terminal.width, 5) + "\n";
  out += causes_text(pulse, PulseCause::Of::rise, "rose by", terminal);
  out += causes_text(pulse, PulseCause::Of::fall, "fell by", terminal);
  out += causes_text(pulse, PulseCause::Of::stays, "stays", terminal);
  return out;
}

}  // namespace

std::string effect_text(const Finding& finding) {
  const char* what = nullptr;
  switch (finding.effect) {
    case analysis::Effect::lowers_peak: what = "lowers the peak"; break;
    case analysis::Effect::lowers_what_stays: what = "lowers what stays"; break;
    case analysis::Effect::informs: return {};
  }
  if (finding.saves_bytes == 0) return fmt::format(" ({})", what);
  // What a peak is made of is not all spared when its largest part is: something else peaks then.
  const bool most = finding.kind == analysis::FindingKind::transient_peak ||
                    finding.kind == analysis::FindingKind::peak_between_samples;
  return fmt::format(" ({} by {} {})", what, most ? "up to" : "about", format_bytes(finding.saves_bytes));
}

std::string_view certainty_text(analysis::Certainty certainty) {
  switch (certainty) {
    case analysis::Certainty::exact: return "";
    case analysis::Certainty::lower_bound: return " [a lower bound]";
    case analysis::Certainty::inference: return " [an inference]";
    case analysis::Certainty::estimate: return " [an estimate: calls were sampled]";
  }
  return "";
}

std::string findings_text(const analysis::ProcessReport& process, std::size_t count, const Terminal& terminal) {
  std::string out;
  for (std::size_t i = 0; i < std::min(count, process.findings.size()); ++i)
    out += finding_text(process.findings[i], i + 1, terminal);
  return out;
}

std::string pulses_text(const analysis::ProcessReport& process, const Terminal& terminal) {
  std::string out;
  for (std::size_t i = 0; i < process.pulses.size(); ++i) out += pulse_text(process.pulses[i], i + 1, terminal);
  return out;
}

}  // namespace memswell::report
