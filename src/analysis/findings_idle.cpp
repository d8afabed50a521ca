// What a phase has not written (run --idle): caches, indexes, free lists.
#include <fmt/format.h>

#include <algorithm>

#include "analysis/course.h"
#include "analysis/finding_rules.h"
#include "base/units.h"

namespace memswell::analysis {
namespace {

// The phase in which writes were tracked: its boundary stands just before the snapshot that began to.
const Phase* phase_tracked_from(const ProcessReport& process, Nanoseconds since) {
  const auto tracked = std::find_if(process.phases.rbegin(), process.phases.rend(),
                                    [&](const Phase& phase) { return phase.begin_ns <= since; });
  return tracked == process.phases.rend() ? nullptr : &*tracked;
}

}  // namespace

void find_idle(const FindingInput& input, Findings& findings) {
  const ProcessReport& process = *input.process;
  const LedgerSnapshot* worst =
      largest_snapshot(process, [](const LedgerSnapshot& snapshot) { return snapshot.beside.idle_bytes; });
  if (worst == nullptr || !worst->idle_since_ns || worst->beside.idle_bytes < least_notable(process)) return;
  const SiteShare* most = largest_share(*worst, &SiteShare::idle_bytes);
  const Phase* phase = phase_tracked_from(process, *worst->idle_since_ns);
  if (most == nullptr || phase == nullptr) return;
  const Bytes idle = worst->beside.idle_bytes;
  const Nanoseconds length = worst->time_ns - *worst->idle_since_ns;
  Finding finding = make_finding(FindingKind::idle, Effect::informs, Certainty::lower_bound, idle, phase->name);
  finding.site = most->site;
  finding.sentence = fmt::format(
      "{} of what lived all through phase \"{}\" ({}) were not written in it; the most, {} of {} resident, are of {}.",
      format_bytes(idle), phase->name, format_duration(length), format_bytes(most->idle_bytes),
      format_bytes(most->resident_bytes + most->mapped_bytes), words_of(process, most->site));
  finding.cause =
      "Whole pages that nobody wrote: a cache, an index, a free list, or data that is only read. Reads are not seen, and a "
      "block that shares its page with one that was written counts as written.";
  finding.remedy = fmt::format("if nothing reads them, bound what {} keeps, or give it back before this phase",
                               words_of(process, most->site));
  finding.evidence = {
      {"idle_bytes", static_cast<std::int64_t>(idle), Unit::bytes},
      {"idle_of_site_bytes", static_cast<std::int64_t>(most->idle_bytes), Unit::bytes},
      {"resident_of_site_bytes", static_cast<std::int64_t>(most->resident_bytes + most->mapped_bytes), Unit::bytes},
      {"phase_ns", static_cast<std::int64_t>(length), Unit::nanoseconds}};
  findings.push_back(std::move(finding));
}

}  // namespace memswell::analysis
