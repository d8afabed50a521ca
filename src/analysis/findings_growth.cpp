// Findings about buffers that grow: by copying, where old and new are alive together, and by reallocs that move.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "analysis/course.h"
#include "analysis/finding_rules.h"
#include "analysis/words.h"
#include "base/units.h"

namespace memswell::analysis {
namespace {

const SiteShare* share_of(const LedgerSnapshot& snapshot, SiteIndex site) {
  for (const SiteShare& share : snapshot.sites) {
    if (share.site == site) return &share;
  }
  return nullptr;
}

// The window in which most of the site was alive at the peak of all.
const Window* window_of(const std::vector<Window>& windows, SiteIndex site) {
  const Window* most = nullptr;
  Bytes bytes = 0;
  for (const Window& window : windows) {
    for (const SiteWindow& entry : window.sites) {
      if (entry.site != site || entry.live_at_peak_bytes <= bytes) continue;
      bytes = entry.live_at_peak_bytes;
      most = &window;
    }
  }
  return most;
}

// What RSS did while the buffer grew, and how much of it is used in the end.
std::string course_of_buffer(const ProcessReport& process, const std::string& name, SiteIndex site) {
  std::string text;
  for (const Phase& phase : process.phases) {
    if (phase.name != name || process.phases.size() < 2) continue;
    text += fmt::format(" RSS peaks at {} in that phase and ends at {}.", format_bytes(phase.peak_rss_bytes),
                        format_bytes(phase.end_rss_bytes));
    break;
  }
  const auto resident = [site](const LedgerSnapshot& snapshot) {
    const SiteShare* share = share_of(snapshot, site);
    return share == nullptr ? Bytes{0} : share->resident_bytes;
  };
  const LedgerSnapshot* after = nullptr;
  for (const LedgerSnapshot& snapshot : process.snapshots) {
    if (is_steady(snapshot) && (after == nullptr || resident(snapshot) > resident(*after))) after = &snapshot;
  }
  const SiteShare* share = after == nullptr ? nullptr : share_of(*after, site);
  if (share == nullptr || share->live_bytes == 0) return text;
  if (share->untouched_bytes >= least_notable(process))
    text += fmt::format(" Of the {} that stay {} were never touched; {} are resident.", format_bytes(share->live_bytes),
                        format_bytes(share->untouched_bytes), format_bytes(share->resident_bytes));
  return text + course_after(process, *after, resident);
}

Finding buffer_finding(const FindingInput& input, SiteIndex index, Bytes old) {
  const ProcessReport& process = *input.process;
  const Site& site = site_of(process, index);
  const Window* window = window_of(*input.windows, index);
  const Nanoseconds time = window == nullptr ? 0 : window->peak_live_ns;
  const std::string phase = window == nullptr ? std::string() : phase_at(process, time);
  Finding finding = make_finding(FindingKind::realloc_growth, Effect::lowers_peak, Certainty::exact, old, phase);
  finding.site = index;
  finding.saves_bytes = window == nullptr ? old : std::min(old, rise_of_peak(process, time));
  const Bytes both = site.figures.peak_live_bytes;
  finding.sentence = fmt::format(
      "A buffer of {} grows in {} steps to {}; when it is copied the old block of {} and the new one are "
      "alive together, {} in all.",
      site_words(site), site.growth_steps, format_bytes(site.largest_block_bytes), format_bytes(old),
      format_bytes(both));
  finding.cause = "Growth by allocating, copying and freeing needs the old and the new block at once." +
                  course_of_buffer(process, phase, index);
  finding.remedy =
      "reserve the final size before filling, or grow with realloc: large blocks then move without a copy (mremap)";
  finding.evidence = {{"steps", static_cast<std::int64_t>(site.growth_steps), Unit::count},
                      {"largest_block_bytes", static_cast<std::int64_t>(site.largest_block_bytes), Unit::bytes},
                      {"both_bytes", static_cast<std::int64_t>(both), Unit::bytes},
                      {"old_block_bytes", static_cast<std::int64_t>(old), Unit::bytes}};
  return finding;
}

// More than eight steps to double a block: growth by what is needed now, not by a factor.
bool grows_by_bits(const Site& site) {
  constexpr double kSteps = 8, kLeastBlock = 16;
  const Figures& figures = site.figures;
  const double blocks = static_cast<double>(std::max<std::uint64_t>(figures.calls - figures.reallocs, 1));
  const double doublings = std::log2(std::max(static_cast<double>(site.largest_block_bytes) / kLeastBlock, 2.0));
  return static_cast<double>(figures.reallocs) / blocks > kSteps * doublings;
}

// glibc moves a block that is a mapping of its own by mremap: nothing is copied.
bool is_remapped(const ProcessReport& process, const Site& site) {
  return process.allocator.starts_with("glibc") && site.figures.large_mapped_calls * 2 > site.figures.calls;
}

}  // namespace

// A buffer that is copied into a larger one again and again: both are alive while it is copied.
void find_growing_buffers(const FindingInput& input, Findings& findings) {
  constexpr std::uint64_t kLeastSteps = 4;
  const ProcessReport& process = *input.process;
  for (std::uint32_t i = 0; i < process.sites.size(); ++i) {
    const Site& site = process.sites[i];
    const Bytes both = site.figures.peak_live_bytes;
    if (site.growth_steps < kLeastSteps || both <= site.largest_block_bytes) continue;
    const Bytes old = both - site.largest_block_bytes;
    const bool one_buffer = both <= 2 * site.largest_block_bytes && site.growth_steps * 2 >= site.figures.calls;
    if (!one_buffer || old < least_notable(process)) continue;
    Finding finding = buffer_finding(input, SiteIndex{i}, old);
    if (finding.saves_bytes >= least_notable(process)) findings.push_back(std::move(finding));
  }
}

void find_moving_reallocs(const FindingInput& input, Findings& findings) {
  constexpr Bytes kMuch = Bytes{256} << 20;
  const ProcessReport& process = *input.process;
  const Site* most = nullptr;
  for (const Site& site : process.sites) {
    const bool more = most == nullptr || site.figures.realloc_copied_bytes > most->figures.realloc_copied_bytes;
    if (more && grows_by_bits(site) && !is_remapped(process, site)) most = &site;
  }
  if (most == nullptr || most->figures.realloc_copied_bytes < kMuch) return;
  const Figures& figures = most->figures;
  Finding finding = make_finding(FindingKind::realloc_growth, Effect::informs, Certainty::exact, 0, "");
  finding.site = SiteIndex{static_cast<std::uint32_t>(most - process.sites.data())};
  finding.sentence =
      fmt::format("{} of {} reallocs at {} moved their block, and {} were copied for {} of live data.",
                  format_count(figures.reallocs_moved), format_count(figures.reallocs), site_words(*most),
                  format_bytes(figures.realloc_copied_bytes), format_bytes(figures.peak_live_bytes));
  finding.cause = "Another block lies right behind, so that the block cannot grow in place.";
  finding.remedy = "grow by a factor (a quarter more, say) instead of by what is needed now";
  finding.evidence = {{"reallocs", static_cast<std::int64_t>(figures.reallocs), Unit::count},
                      {"moved", static_cast<std::int64_t>(figures.reallocs_moved), Unit::count},
                      {"copied_bytes", static_cast<std::int64_t>(figures.realloc_copied_bytes), Unit::bytes}};
  findings.push_back(std::move(finding));
}

}  // namespace memswell::analysis
