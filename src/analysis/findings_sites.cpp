// Findings about what call sites do over time: transient peaks, growth, growing buffers, temporaries.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "analysis/finding_rules.h"
#include "analysis/pulses.h"
#include "analysis/words.h"
#include "base/units.h"

namespace memswell::analysis {
namespace {

struct Growth {
  std::size_t first = 0;  // moments from which to which it grew
  std::size_t last = 0;
  Bytes bytes = 0;
};

// Moments between which sites are compared: ends of phases, or of even stretches where no phases were announced.
std::vector<std::pair<std::string, Nanoseconds>> moments_of(const FindingInput& input) {
  std::vector<std::pair<std::string, Nanoseconds>> moments;
  if (input.process->phases.size() > 2) {
    for (const Phase& phase : input.process->phases) moments.emplace_back(phase.name, phase.end_ns);
  } else {
    for (const Nanoseconds end : input.stretches) moments.emplace_back(std::string(), end);
  }
  return moments;
}

// Work that loads first and computes then grows in some stretches only; what grows all the time does so evenly.
bool is_even(const std::vector<Bytes>& levels, const Growth& growth) {
  const Bytes average = growth.bytes / (growth.last - growth.first);
  for (std::size_t i = growth.first; i < growth.last; ++i) {
    if (levels[i + 1] - levels[i] < average / 3) return false;
  }
  return true;
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

Bytes rise_of_peak(const ProcessReport& process, Nanoseconds time) {
  const Phase* within = nullptr;
  for (const Phase& phase : process.phases) {
    if (time >= phase.begin_ns && time <= phase.end_ns) within = &phase;
    if (within != nullptr) break;
  }
  const Bytes peak = process.totals.peak_rss_bytes;
  Bytes floor = process.totals.end_known ? process.totals.end_rss_bytes : peak;
  if (!process.timeline.empty()) floor = std::min(floor, process.timeline.front().rss_bytes);
  for (const Phase& phase : process.phases) floor = std::min(floor, phase.begin_rss_bytes);
  const Bytes top = within == nullptr || within->peak_rss_bytes == 0 ? peak : within->peak_rss_bytes;
  return top - std::min(top, floor);
}

namespace {

// Where a site's level first reached half of what is gone now, and where it first fell below it again.
std::string life_words(const ProcessReport& process, const SiteLevels& levels, SiteIndex site, Bytes gone) {
  const Phase* came = nullptr;
  const Phase* went = nullptr;
  std::size_t phases_between = 0;
  for (const Phase& phase : process.phases) {
    const Bytes level = levels.at(phase.end_ns)[site.value];
    if (came == nullptr) {
      if (level * 2 >= gone) came = &phase;
    } else if (level * 2 < gone) {
      went = &phase;
      break;
    } else {
      ++phases_between;
    }
  }
  if (came == nullptr || went == nullptr) return {};
  std::string text = fmt::format("They came in phase \"{}\" and went in phase \"{}\"", came->name, went->name);
  if (phases_between > 0) text += ", all alive in between";
  return text + ".";
}

// What embedders keep in blocks of malloc for values of their language.
struct KnownHolder {
  std::string_view function;
  std::string_view words;
};
constexpr std::array kKnownHolders{
    KnownHolder{"AllocateExternalBackingStore",
                " They are the memory of ArrayBuffers and Buffers, outside of the JavaScript heap: a small slice keeps "
                "its whole buffer alive."},
    KnownHolder{"node::NodeArrayBufferAllocator",
                " They are the memory of ArrayBuffers and Buffers, outside of the JavaScript heap: a small slice keeps "
                "its whole buffer alive."},
};

std::string holder_words(const Site& site) {
  for (const KnownHolder& known : kKnownHolders) {
    if (site.function.find(known.function) != std::string::npos) return std::string(known.words);
  }
  return {};
}

// How many blocks of what size: of the call path with nearly all of it, else of the site.
std::string blocks_words(const ProcessReport& process, SiteIndex index) {
  const Figures* figures = &site_of(process, index).figures;
  for (std::size_t i = 0; i < process.stacks.size() && i < process.site_of_stack.size(); ++i) {
    const Figures& path = process.stacks[i].figures;
    if (process.site_of_stack[i] == index && path.live_at_peak_bytes * 10 >= figures->live_at_peak_bytes * 9) {
      figures = &path;
      break;
    }
  }
  const std::uint64_t blocks = figures->live_at_peak_blocks;
  if (blocks < 2) return blocks == 1 ? "one block" : "blocks";
  return fmt::format("{} blocks of up to {}", format_count(blocks),
                     format_bytes(site_of(process, index).largest_block_bytes));
}

}  // namespace

void find_transient_peak(const FindingInput& input, Findings& findings) {
  const ProcessReport& process = *input.process;
  const Window* highest = nullptr;
  for (const Window& window : *input.windows) {
    if (highest == nullptr || window.peak_live_bytes > highest->peak_live_bytes) highest = &window;
  }
  if (highest == nullptr || input.windows->size() < 2) return;  // nothing to compare the peak with
  const SiteLevels levels(*input.windows, process.sites.size());
  const std::vector<Bytes> after = levels.at(end_of_peak(process, highest->peak_live_ns));
  const SiteWindow* most = nullptr;
  const auto gone = [&](const SiteWindow& site) {
    return site.live_at_peak_bytes - std::min(site.live_at_peak_bytes, after[site.site.value]);
  };
  for (const SiteWindow& site : highest->sites) {
    if (most == nullptr || gone(site) > gone(*most)) most = &site;
  }
  const Bytes rise = rise_of_peak(process, highest->peak_live_ns);
  if (most == nullptr || gone(*most) < std::max(least_notable(process), highest->peak_live_bytes / 5)) return;
  if (rise < least_notable(process)) return;  // never touched: address space only
  const std::string phase = phase_at(process, highest->peak_live_ns);
  const Site& site = site_of(process, most->site);
  Finding finding =
      make_finding(FindingKind::transient_peak, Effect::lowers_peak, Certainty::exact, gone(*most), phase);
  finding.site = most->site;
  finding.saves_bytes = std::min(gone(*most), rise);
  finding.sentence = fmt::format(
      "Live blocks peak at {} {} (RSS at {}); {} of that, {}, are of {} and gone {}.",
      format_bytes(highest->peak_live_bytes), moment_words(process, phase, highest->peak_live_ns),
      format_bytes(process.totals.peak_rss_bytes), format_bytes(gone(*most)), blocks_words(process, most->site), site_words(site),
      process.phases.size() > 1 ? "by the end of the phase" : "soon after");
  finding.cause = life_words(process, levels, most->site, gone(*most));
  if (finding.cause.empty()) finding.cause = "They are needed for a part of the run only.";
  finding.cause += holder_words(site);
  finding.remedy = fmt::format("work in smaller pieces at {}, or free other blocks before", site_words(site));
  finding.evidence = {{"peak_live_bytes", static_cast<std::int64_t>(highest->peak_live_bytes), Unit::bytes},
                      {"peak_rss_bytes", static_cast<std::int64_t>(process.totals.peak_rss_bytes), Unit::bytes},
                      {"site_at_peak_bytes", static_cast<std::int64_t>(most->live_at_peak_bytes), Unit::bytes},
                      {"site_at_peak_blocks", static_cast<std::int64_t>(site.figures.live_at_peak_blocks), Unit::count},
                      {"site_after_bytes", static_cast<std::int64_t>(after[most->site.value]), Unit::bytes},
                      {"time_ns", static_cast<std::int64_t>(highest->peak_live_ns), Unit::nanoseconds}};
  findings.push_back(std::move(finding));
}

std::optional<SiteGrowth> growth_of(const FindingInput& input, std::optional<SiteIndex> asked) {
  constexpr std::size_t kLeastSteps = 3;
  constexpr std::size_t kMostMoments = 500;
  const ProcessReport& process = *input.process;
  const auto moments = moments_of(input);
  if (moments.size() > kMostMoments) return std::nullopt;
  const SiteLevels levels(*input.windows, process.sites.size());
  std::vector<std::vector<Bytes>> by_site(process.sites.size());
  for (const auto& [name, time] : moments) {
    const std::vector<Bytes> now = levels.at(time);
    for (std::size_t i = 0; i < now.size(); ++i) by_site[i].push_back(now[i]);
  }
  std::optional<SiteGrowth> best;
  for (std::uint32_t i = 0; i < by_site.size(); ++i) {
    if (asked && asked->value != i) continue;
    const Growth growth = longest_growth(by_site[i]);
    const std::size_t steps = growth.last - growth.first;
    if (steps < kLeastSteps || (best && growth.bytes <= best->bytes)) continue;
    const std::string& name = moments[growth.last].first;
    const bool to_the_end = growth.last + 1 == by_site[i].size() && steps + 2 >= by_site[i].size();
    if (name.empty() && !(to_the_end && is_even(by_site[i], growth))) continue;
    best = SiteGrowth{SiteIndex{i}, by_site[i][growth.first], growth.bytes, steps, !name.empty(), name};
  }
  return best;
}

namespace {

std::string stretch_words(const FindingInput& input) {
  const Nanoseconds whole = input.stretches.back() - input.stretches.front();
  return "stretches of " + format_duration(whole / std::max<std::size_t>(1, input.stretches.size() - 1));
}

}  // namespace

void find_growth(const FindingInput& input, Findings& findings) {
  const ProcessReport& process = *input.process;
  const std::optional<SiteGrowth> growth = growth_of(input);
  if (!growth || growth->bytes < least_notable(process)) return;
  Finding finding = make_finding(FindingKind::growth, Effect::lowers_what_stays, Certainty::exact, growth->bytes,
                                 growth->last_phase);
  finding.site = growth->site;
  finding.sentence = fmt::format(
      "Live blocks of {} grow by {} in each of {} {}, from {} to {}, without a step back.",
      words_of(process, growth->site), format_bytes(growth->bytes / growth->steps), growth->steps,
      growth->phases ? "phases" : stretch_words(input), format_bytes(growth->from_bytes),
      format_bytes(growth->from_bytes + growth->bytes));
  finding.cause = "Something keeps what is allocated there: a cache, a list, a table that only grows.";
  finding.remedy =
      fmt::format("bound what {} adds to, or drop what is no longer needed", words_of(process, growth->site));
  finding.evidence = {{"growth_bytes", static_cast<std::int64_t>(growth->bytes), Unit::bytes},
                      {"steps", static_cast<std::int64_t>(growth->steps), Unit::count},
                      {"bytes_a_step", static_cast<std::int64_t>(growth->bytes / growth->steps), Unit::bytes}};
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

}  // namespace memswell::analysis
