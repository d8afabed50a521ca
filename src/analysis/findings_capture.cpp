// Findings about the recording itself: what it does not know, and why.
#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "analysis/finding_rules.h"
#include "analysis/range_maximum.h"
#include "analysis/words.h"
#include "base/units.h"

namespace memswell::analysis {
namespace {

// The call site with most live bytes at the peak of live bytes within a phase.
const SiteWindow* most_at_peak(const std::vector<Window>& windows, const Phase& phase) {
  const Window* highest = nullptr;
  for (const Window& window : windows) {
    if (window.begin_ns < phase.begin_ns || window.end_ns > phase.end_ns) continue;
    if (highest == nullptr || window.peak_live_bytes > highest->peak_live_bytes) highest = &window;
  }
  if (highest == nullptr) return nullptr;
  const SiteWindow* most = nullptr;
  for (const SiteWindow& site : highest->sites) {
    if (most == nullptr || site.live_at_peak_bytes > most->live_at_peak_bytes) most = &site;
  }
  return most;
}

// A program may announce hundreds of thousands of phases.
class LargestSamples {
 public:
  explicit LargestSamples(const std::vector<TimelineRow>& rows) : samples_(in_order(rows)), maximum_(sizes()) {}

  Bytes of(const Phase& phase) const {
    const auto by_time = [](const Sample& sample, Nanoseconds time) { return sample.first < time; };
    const auto begin = std::lower_bound(samples_.begin(), samples_.end(), phase.begin_ns, by_time);
    const auto after = [](Nanoseconds time, const Sample& sample) { return time < sample.first; };
    const auto end = std::upper_bound(begin, samples_.end(), phase.end_ns, after);
    return maximum_.of(static_cast<std::size_t>(begin - samples_.begin()), static_cast<std::size_t>(end - samples_.begin()));
  }

 private:
  using Sample = std::pair<Nanoseconds, Bytes>;

  static std::vector<Sample> in_order(const std::vector<TimelineRow>& rows) {
    std::vector<Sample> samples;
    samples.reserve(rows.size());
    for (const TimelineRow& row : rows) samples.emplace_back(row.time_ns, row.rss_bytes);
    std::sort(samples.begin(), samples.end());
    return samples;
  }
  std::vector<Bytes> sizes() const {
    std::vector<Bytes> all;
    all.reserve(samples_.size());
    for (const Sample& sample : samples_) all.push_back(sample.second);
    return all;
  }

  std::vector<Sample> samples_;
  RangeMaximum maximum_;
};

}  // namespace

void find_events_lost(const FindingInput& input, Findings& findings) {
  const ProcessReport& process = *input.process;
  if (process.totals.lost_events == 0) return;
  Finding finding = make_finding(FindingKind::events_lost, Effect::informs, Certainty::exact, 0, "");
  finding.sentence = fmt::format("{} events were lost: live blocks and call counts are not exact.",
                                 format_count(process.totals.lost_events));
  finding.cause = "The recorder did not keep up, and threads may not wait for it here.";
  finding.remedy = "record with --on-full wait, or a larger --ring-memory";
  finding.evidence = {{"lost_events", static_cast<std::int64_t>(process.totals.lost_events), Unit::count}};
  findings.push_back(std::move(finding));
}

void find_not_preloaded(const FindingInput& input, Findings& findings) {
  const ProcessReport& process = *input.process;
  if (process.capture != trace::Capture::sampler) return;
  Finding finding =
      make_finding(FindingKind::not_preloaded, Effect::informs, Certainty::exact, process.totals.peak_rss_bytes, "");
  finding.sentence = "Allocations were not recorded, only the footprint was sampled: there are no call sites.";
  finding.cause = process.capture_reason;
  finding.evidence = {{"peak_rss_bytes", static_cast<std::int64_t>(process.totals.peak_rss_bytes), Unit::bytes}};
  findings.push_back(std::move(finding));
}

void find_peak_between_samples(const FindingInput& input, Findings& findings) {
  const ProcessReport& process = *input.process;
  const Phase* most = nullptr;
  Bytes unseen = 0;
  const LargestSamples samples(process.timeline);
  for (const Phase& phase : process.phases) {
    if (!phase.peak_rss_exact) continue;
    const Bytes sampled = samples.of(phase);
    const Bytes missed = phase.peak_rss_bytes - std::min(phase.peak_rss_bytes, sampled);
    if (missed < std::max(least_notable(process), phase.peak_rss_bytes / 10) || missed <= unseen) continue;
    unseen = missed;
    most = &phase;
  }
  if (most == nullptr) return;
  Finding finding =
      make_finding(FindingKind::peak_between_samples, Effect::lowers_peak, Certainty::exact, unseen, most->name);
  finding.sentence = fmt::format(
      "RSS peaked at {} in phase \"{}\", {} above the largest sample: the spike was too short to be sampled.",
      format_bytes(most->peak_rss_bytes), most->name, format_bytes(unseen));
  finding.cause = "The kernel's own mark (VmHWM) sees every peak.";
  if (const SiteWindow* site = most_at_peak(*input.windows, *most);
      site != nullptr && site->live_at_peak_bytes * 2 > unseen) {
    finding.site = site->site;
    finding.saves_bytes = std::min(site->live_at_peak_bytes, unseen);
    finding.cause += fmt::format(" At the peak of live bytes in that phase {} belonged to {}.",
                                 format_bytes(site->live_at_peak_bytes), words_of(process, site->site));
    finding.remedy = fmt::format("work in smaller pieces at {}", words_of(process, site->site));
  }
  finding.evidence = {{"peak_rss_bytes", static_cast<std::int64_t>(most->peak_rss_bytes), Unit::bytes},
                      {"largest_sample_bytes", static_cast<std::int64_t>(most->peak_rss_bytes - unseen), Unit::bytes}};
  findings.push_back(std::move(finding));
}

void find_unnamed(const FindingInput& input, Findings& findings) {
  const ProcessReport& process = *input.process;
  const Bytes unnamed = process.totals.unnamed_at_peak_bytes;
  if (unnamed < std::max(least_notable(process), process.totals.peak_live_bytes / 10)) return;
  Finding finding = make_finding(FindingKind::unnamed, Effect::informs, Certainty::exact, unnamed, "");
  const std::string module = base_name(process.totals.unnamed_module);
  finding.sentence = fmt::format("{} of live blocks at the peak come from code without names, most of it in {}.",
                                 format_bytes(unnamed), module.empty() ? "code outside of any module" : module);
  // "what it has; what would give more"
  const std::string& note = process.totals.unnamed_note;
  const std::size_t remedy = note.find("; ");
  finding.cause = module.empty() ? "Generated code has no symbols."
                  : note.empty() ? "The module has no symbols for them."
                                 : fmt::format("Of the module: {}.", note.substr(0, remedy));
  if (remedy != std::string::npos) finding.remedy = note.substr(remedy + 2);
  finding.evidence = {{"unnamed_bytes", static_cast<std::int64_t>(unnamed), Unit::bytes}};
  findings.push_back(std::move(finding));
}

}  // namespace memswell::analysis
