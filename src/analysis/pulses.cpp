#include "analysis/pulses.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

#include "analysis/words.h"
#include "base/units.h"

namespace memswell::analysis {
namespace {

constexpr std::size_t kMostSites = 5;     // of one row
constexpr Bytes kLeastCause = 256 << 10;  // smaller changes are not worth a line

std::int64_t difference(Bytes after, Bytes before) {
  return static_cast<std::int64_t>(after) - static_cast<std::int64_t>(before);
}

// The snapshot that shows this point of the curve; null: none is near enough to stand for it.
const LedgerSnapshot* snapshot_at(const ProcessReport& process, CurvePoint point, Bytes tolerance) {
  const LedgerSnapshot* best = nullptr;
  Nanoseconds best_distance = 0;
  for (const LedgerSnapshot& snapshot : process.snapshots) {
    const Bytes off = static_cast<Bytes>(std::llabs(difference(snapshot.rss_bytes, point.bytes)));
    if (off > tolerance) continue;
    const Nanoseconds distance =
        snapshot.time_ns > point.time_ns ? snapshot.time_ns - point.time_ns : point.time_ns - snapshot.time_ns;
    if (best == nullptr || distance < best_distance) {
      best = &snapshot;
      best_distance = distance;
    }
  }
  return best;
}

std::string row_words(Owner owner) { return std::string(kOwnerTexts[static_cast<std::size_t>(owner)].words); }

// One stretch of the curve, from one moment to another.
class Stretch {
 public:
  Stretch(PulseCause::Of of, const ProcessReport& process, Pulse& pulse) : of_(of), process_(process), pulse_(pulse) {}

  void add_rows(const LedgerSnapshot& before, const LedgerSnapshot& after) {
    for (std::size_t i = 0; i < kOwners; ++i) {
      const Owner owner = static_cast<Owner>(i);
      add(owner, std::nullopt, difference(after.row(owner), before.row(owner)), row_words(owner));
    }
  }

  void add_sites(const std::vector<Bytes>& before, const std::vector<Bytes>& after) {
    std::vector<std::pair<std::int64_t, std::size_t>> changes;
    for (std::size_t i = 0; i < before.size(); ++i) {
      if (const std::int64_t change = wanted(difference(after[i], before[i])); change != 0)
        changes.emplace_back(change, i);
    }
    std::sort(changes.begin(), changes.end(),
              [](auto& a, auto& b) { return std::llabs(a.first) > std::llabs(b.first); });
    if (changes.size() > kMostSites) changes.resize(kMostSites);
    for (const auto& [change, index] : changes) {
      const std::string words = "live blocks of " + site_words(process_.sites[index]);
      add(Owner::heap_live, SiteIndex{static_cast<std::uint32_t>(index)}, change, words);
    }
  }

 private:
  // A rise is told by what rose, a fall by what fell, and what stays by what is more than before.
  std::int64_t wanted(std::int64_t change) const {
    const bool falls = of_ == PulseCause::Of::fall;
    return (falls ? change < 0 : change > 0) ? change : 0;
  }
  void add(Owner owner, std::optional<SiteIndex> site, std::int64_t change, const std::string& words) {
    if (wanted(change) == 0 || static_cast<Bytes>(std::llabs(change)) < kLeastCause) return;
    pulse_.causes.push_back({of_, owner, site, change, words});
  }

  PulseCause::Of of_;
  const ProcessReport& process_;
  Pulse& pulse_;
};

std::string sentence_of(const Pulse& pulse, const ProcessReport& process) {
  std::string text = fmt::format("RSS rose by {} to {} {}", format_bytes(pulse.rise_bytes),
                                 format_bytes(pulse.peak_rss_bytes), moment_words(process, pulse.phase, pulse.peak_ns));
  if (pulse.fall_bytes == 0) return text + " and did not fall.";
  text += fmt::format(" and fell by {}", format_bytes(pulse.fall_bytes));
  const Bytes stays = pulse.end_rss_bytes > pulse.begin_rss_bytes ? pulse.end_rss_bytes - pulse.begin_rss_bytes : 0;
  return text + (stays < kLeastCause ? "; nothing of it stays." : fmt::format("; {} of it stay.", format_bytes(stays)));
}

// Against the pulse before: the peak, and the row that makes most of the difference where both are known.
std::string comparison_of(const Pulse& pulse, const Pulse& before, const LedgerSnapshot* now,
                          const LedgerSnapshot* then) {
  const std::int64_t above = difference(pulse.peak_rss_bytes, before.peak_rss_bytes);
  if (static_cast<Bytes>(std::llabs(above)) < (Bytes{1} << 20)) return "Peaks as high as the pulse before.";
  std::string text = fmt::format("Peaks {} {} the pulse before.", format_bytes(static_cast<Bytes>(std::llabs(above))),
                                 above > 0 ? "above" : "below");
  if (now == nullptr || then == nullptr) return text;
  Owner most = Owner::unknown;
  std::int64_t largest = 0;
  for (std::size_t i = 0; i < kOwners; ++i) {
    const std::int64_t change = difference(now->rows[i].bytes, then->rows[i].bytes);
    if ((above > 0) == (change > 0) && std::llabs(change) > std::llabs(largest)) {
      largest = change;
      most = static_cast<Owner>(i);
    }
  }
  if (largest == 0) return text;
  return text + fmt::format(" Of that {}: {}.", format_signed_bytes(largest), row_words(most));
}

}  // namespace

std::vector<Bytes> SiteLevels::at(Nanoseconds time) const {
  std::vector<Bytes> levels(sites_, 0);
  for (const Window& window : windows_) {
    if (window.end_ns > time) break;
    for (const SiteWindow& site : window.sites) {
      if (site.site.value < sites_) levels[site.site.value] = site.live_bytes;
    }
  }
  return levels;
}

std::vector<Pulse> explain_pulses(const std::vector<PulseShape>& shapes, const ProcessReport& process,
                                  const std::vector<Window>& windows) {
  std::vector<Pulse> pulses;
  const SiteLevels levels(windows, process.sites.size());
  const LedgerSnapshot* peak_before = nullptr;
  for (const PulseShape& shape : shapes) {
    Pulse pulse;
    pulse.begin_ns = shape.begin.time_ns;
    pulse.peak_ns = shape.peak.time_ns;
    pulse.end_ns = shape.end.time_ns;
    pulse.begin_rss_bytes = shape.begin.bytes;
    pulse.peak_rss_bytes = shape.peak.bytes;
    pulse.end_rss_bytes = shape.end.bytes;
    pulse.rise_bytes = shape.peak.bytes - std::min(shape.peak.bytes, shape.begin.bytes);
    pulse.fall_bytes = shape.peak.bytes - std::min(shape.peak.bytes, shape.end.bytes);
    pulse.phase = phase_at(process, shape.peak.time_ns);

    const Bytes tolerance = std::max<Bytes>(Bytes{1} << 20, pulse.rise_bytes / 20);
    const LedgerSnapshot* begin = snapshot_at(process, shape.begin, tolerance);
    const LedgerSnapshot* peak = snapshot_at(process, shape.peak, tolerance);
    const LedgerSnapshot* end = snapshot_at(process, shape.end, tolerance);
    pulse.exact = begin != nullptr && peak != nullptr && end != nullptr;

    Stretch rise(PulseCause::Of::rise, process, pulse);
    Stretch fall(PulseCause::Of::fall, process, pulse);
    Stretch stays(PulseCause::Of::stays, process, pulse);
    if (begin != nullptr && peak != nullptr) rise.add_rows(*begin, *peak);
    rise.add_sites(levels.at(shape.begin.time_ns), levels.at(shape.peak.time_ns));
    if (peak != nullptr && end != nullptr) fall.add_rows(*peak, *end);
    fall.add_sites(levels.at(shape.peak.time_ns), levels.at(shape.end.time_ns));
    if (begin != nullptr && end != nullptr) stays.add_rows(*begin, *end);
    stays.add_sites(levels.at(shape.begin.time_ns), levels.at(shape.end.time_ns));

    pulse.sentence = sentence_of(pulse, process);
    if (!pulses.empty()) pulse.comparison = comparison_of(pulse, pulses.back(), peak, peak_before);
    peak_before = peak;
    pulses.push_back(std::move(pulse));
  }
  return pulses;
}

}  // namespace memswell::analysis
