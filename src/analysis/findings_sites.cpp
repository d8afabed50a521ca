// Findings about what call sites do over time: transient peaks, growth, growing buffers, temporaries.
#include <fmt/format.h>

#include <algorithm>

#include "analysis/finding_rules.h"
#include "analysis/pulses.h"
#include "analysis/words.h"
#include "base/units.h"

namespace memswell::analysis {
namespace {

// Moments between which sites are compared: ends of phases, or of windows where no phases were announced.
std::vector<std::pair<std::string, Nanoseconds>> moments_of(const FindingInput& input) {
  std::vector<std::pair<std::string, Nanoseconds>> moments;
  if (input.process->phases.size() > 2) {
    for (const Phase& phase : input.process->phases) moments.emplace_back(phase.name, phase.end_ns);
  } else {
    for (const Window& window : *input.windows) moments.emplace_back(std::string(), window.end_ns);
  }
  return moments;
}

// When a peak is over: at the end of its phase, or of its pulse where no phases were announced.
Nanoseconds end_of_peak(const ProcessReport& process, Nanoseconds peak) {
  if (process.phases.size() < 2) {
    for (const Pulse& pulse : process.pulses) {
      if (peak >= pulse.begin_ns && peak <= pulse.end_ns) return pulse.end_ns;
    }
  }
  for (const Phase& phase : process.phases) {
    if (peak >= phase.begin_ns && peak < phase.end_ns) return phase.end_ns;
  }
  return process.end_ns;
}

struct Growth {
  std::size_t first = 0;  // moments from which to which it grew
  std::size_t last = 0;
  Bytes bytes = 0;
};

// The longest stretch of moments in which a level rose each time.
Growth longest_growth(const std::vector<Bytes>& levels) {
  constexpr Bytes kStep = 64 << 10;
  Growth best;
  std::size_t first = 0;
  for (std::size_t i = 1; i <= levels.size(); ++i) {
    if (i < levels.size() && levels[i] >= levels[i - 1] + kStep) continue;
    if (i - 1 - first > best.last - best.first) best = {first, i - 1, levels[i - 1] - levels[first]};
    first = i;
  }
  return best;
}

}  // namespace

void find_transient_peak(const FindingInput& input, Findings& findings) {
  const ProcessReport& process = *input.process;
  const Window* highest = nullptr;
  for (const Window& window : *input.windows) {
    if (highest == nullptr || window.peak_live_bytes > highest->peak_live_bytes) highest = &window;
  }
  if (highest == nullptr || input.windows->size() < 2) return;  // nothing to compare the peak with
  const std::vector<Bytes> after =
      SiteLevels(*input.windows, process.sites.size()).at(end_of_peak(process, highest->peak_live_ns));
  const SiteWindow* most = nullptr;
  const auto gone = [&](const SiteWindow& site) {
    return site.live_at_peak_bytes - std::min(site.live_at_peak_bytes, after[site.site.value]);
  };
  for (const SiteWindow& site : highest->sites) {
    if (most == nullptr || gone(site) > gone(*most)) most = &site;
  }
  if (most == nullptr || gone(*most) < std::max(least_notable(process), highest->peak_live_bytes / 5)) return;
  const std::string phase = phase_at(process, highest->peak_live_ns);
  Finding finding =
      make_finding(FindingKind::transient_peak, Effect::lowers_peak, Certainty::exact, gone(*most), phase);
  finding.site = most->site;
  finding.saves_bytes = gone(*most);
  finding.sentence =
      fmt::format("Live blocks peak at {} {}; {} of that are blocks of {} that are gone {}.",
                  format_bytes(highest->peak_live_bytes), moment_words(process, phase, highest->peak_live_ns),
                  format_bytes(gone(*most)), words_of(process, most->site),
                  process.phases.size() > 1 ? "by the end of the phase" : "soon after");
  finding.cause = "They are needed for a short time only, at the same time as everything else.";
  finding.remedy =
      fmt::format("work in smaller pieces at {}, or free other blocks before", words_of(process, most->site));
  finding.evidence = {{"peak_live_bytes", static_cast<std::int64_t>(highest->peak_live_bytes), Unit::bytes},
                      {"site_at_peak_bytes", static_cast<std::int64_t>(most->live_at_peak_bytes), Unit::bytes},
                      {"site_after_bytes", static_cast<std::int64_t>(after[most->site.value]), Unit::bytes},
                      {"time_ns", static_cast<std::int64_t>(highest->peak_live_ns), Unit::nanoseconds}};
  findings.push_back(std::move(finding));
}

void find_growth(const FindingInput& input, Findings& findings) {
  constexpr std::size_t kLeastSteps = 3;
  const ProcessReport& process = *input.process;
  const auto moments = moments_of(input);
  const SiteLevels levels(*input.windows, process.sites.size());
  std::vector<std::vector<Bytes>> by_site(process.sites.size());
  constexpr std::size_t kMostMoments = 500;
  if (moments.size() > kMostMoments) return;
  for (const auto& [name, time] : moments) {
    const std::vector<Bytes> now = levels.at(time);
    for (std::size_t i = 0; i < now.size(); ++i) by_site[i].push_back(now[i]);
  }
  std::size_t most = 0;
  Growth best;
  for (std::size_t i = 0; i < by_site.size(); ++i) {
    const Growth growth = longest_growth(by_site[i]);
    if (growth.last - growth.first < kLeastSteps || growth.bytes <= best.bytes) continue;
    best = growth;
    most = i;
  }
  if (best.bytes < least_notable(process)) return;
  const std::size_t steps = best.last - best.first;
  const SiteIndex site{static_cast<std::uint32_t>(most)};
  Finding finding = make_finding(FindingKind::growth, Effect::lowers_what_stays, Certainty::exact, best.bytes,
                                 moments[best.last].first);
  finding.site = site;
  finding.sentence = fmt::format(
      "Live blocks of {} grow by {} in each of {} {}, from {} to {}, and nothing of it is freed in between.",
      words_of(process, site), format_bytes(best.bytes / steps), steps,
      moments[best.last].first.empty() ? "stretches" : "phases", format_bytes(by_site[most][best.first]),
      format_bytes(by_site[most][best.last]));
  finding.cause = "Something keeps what is allocated there: a cache, a list, a table that only grows.";
  finding.remedy = fmt::format("bound what {} adds to, or drop what is no longer needed", words_of(process, site));
  finding.evidence = {{"growth_bytes", static_cast<std::int64_t>(best.bytes), Unit::bytes},
                      {"steps", static_cast<std::int64_t>(steps), Unit::count},
                      {"bytes_a_step", static_cast<std::int64_t>(best.bytes / steps), Unit::bytes}};
  findings.push_back(std::move(finding));
}

void find_unfreed(const FindingInput& input, Findings& findings) {
  const ProcessReport& process = *input.process;
  if (process.exit.reason != trace::EndReason::exited || process.totals.live_bytes_at_exit < least_notable(process))
    return;
  const Site* most = nullptr;
  for (const Site& site : process.sites) {
    if (most == nullptr || site.figures.live_bytes > most->figures.live_bytes) most = &site;
  }
  if (most == nullptr) return;
  Finding finding =
      make_finding(FindingKind::unfreed, Effect::informs, Certainty::exact, process.totals.live_bytes_at_exit, "");
  finding.site = SiteIndex{static_cast<std::uint32_t>(most - process.sites.data())};
  finding.sentence =
      fmt::format("{} in {} blocks were not freed at exit, most of them at {} ({}).",
                  format_bytes(process.totals.live_bytes_at_exit), format_count(process.totals.live_blocks_at_exit),
                  site_words(*most), format_bytes(most->figures.live_bytes));
  finding.cause =
      "Whether they were still in use or leaked cannot be told from this; the kernel takes them back at the end.";
  finding.evidence = {
      {"live_bytes_at_exit", static_cast<std::int64_t>(process.totals.live_bytes_at_exit), Unit::bytes},
      {"live_blocks_at_exit", static_cast<std::int64_t>(process.totals.live_blocks_at_exit), Unit::count}};
  findings.push_back(std::move(finding));
}

void find_temporary(const FindingInput& input, Findings& findings) {
  constexpr std::uint64_t kLeast = 10'000;
  const ProcessReport& process = *input.process;
  const Site* most = nullptr;
  for (const Site& site : process.sites) {
    if (most == nullptr || site.figures.temporary > most->figures.temporary) most = &site;
  }
  if (most == nullptr || most->figures.temporary < std::max(kLeast, process.totals.figures.calls / 5)) return;
  Finding finding = make_finding(FindingKind::temporary, Effect::informs, Certainty::exact, 0, "");
  finding.site = SiteIndex{static_cast<std::uint32_t>(most - process.sites.data())};
  finding.sentence =
      fmt::format("{} of {} blocks of {} are freed by the thread's next event.", format_count(most->figures.temporary),
                  format_count(most->figures.calls), site_words(*most));
  finding.cause = "Such blocks cost time, hardly memory.";
  finding.remedy = "reuse one buffer, or keep it on the stack";
  finding.evidence = {{"temporary", static_cast<std::int64_t>(most->figures.temporary), Unit::count},
                      {"calls", static_cast<std::int64_t>(most->figures.calls), Unit::count}};
  findings.push_back(std::move(finding));
}

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
    Finding finding = make_finding(FindingKind::realloc_growth, Effect::lowers_peak, Certainty::exact, old, "");
    finding.site = SiteIndex{i};
    finding.saves_bytes = old;
    finding.sentence = fmt::format(
        "A buffer of {} grows in {} steps to {}; when it is copied the old block of {} and the new one are "
        "alive together, {} in all.",
        site_words(site), site.growth_steps, format_bytes(site.largest_block_bytes), format_bytes(old),
        format_bytes(both));
    finding.cause = "Growth by allocating, copying and freeing needs the old and the new block at once.";
    finding.remedy =
        "reserve the final size before filling, or grow with realloc: large blocks then move without a copy (mremap)";
    finding.evidence = {{"steps", static_cast<std::int64_t>(site.growth_steps), Unit::count},
                        {"largest_block_bytes", static_cast<std::int64_t>(site.largest_block_bytes), Unit::bytes},
                        {"old_block_bytes", static_cast<std::int64_t>(old), Unit::bytes}};
    findings.push_back(std::move(finding));
  }
}

void find_moving_reallocs(const FindingInput& input, Findings& findings) {
  constexpr Bytes kMuch = Bytes{256} << 20;
  const ProcessReport& process = *input.process;
  const Site* most = nullptr;
  for (const Site& site : process.sites) {
    if (most == nullptr || site.figures.realloc_copied_bytes > most->figures.realloc_copied_bytes) most = &site;
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
