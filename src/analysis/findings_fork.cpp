// Pages that a process shares with the one that forked it, and who copied them by writing.
#include <fmt/format.h>

#include <algorithm>

#include "analysis/course.h"
#include "analysis/finding_rules.h"
#include "analysis/words.h"
#include "base/units.h"

namespace memswell::analysis {
namespace {

constexpr std::string_view kPythonWrites =
    " Reading Python objects is writing, too: it changes their reference counts, and a collection changes the headers of "
    "all objects.";
constexpr std::string_view kPythonRemedy =
    "gc.collect() and gc.freeze() before fork, so that collections leave shared objects alone; keep large data that "
    "workers only read outside of Python objects (array, mmap, shared memory)";

Bytes least_shared(const ProcessReport& process) {
  return std::max({least_notable(process), Bytes{4} << 20, process.totals.peak_rss_bytes / 10});
}

bool is_python(const ProcessReport& process) { return base_name(process.executable).starts_with("python"); }

// Private dirty from where most was shared to where most was copied afterwards.
struct Copying {
  const TimelineRow* shares = nullptr;
  const TimelineRow* copied = nullptr;
  Bytes grown = 0;
  Bytes allocated = 0;
};

Copying copying_of(const ProcessReport& process) {
  Copying copying;
  for (const TimelineRow& row : process.timeline) {
    if (!row.smaps) continue;
    if (copying.shares == nullptr || row.smaps->shared_dirty_bytes > copying.shares->smaps->shared_dirty_bytes) {
      copying.shares = &row;
      copying.copied = nullptr;
    }
    if (copying.copied == nullptr || row.smaps->private_dirty_bytes > copying.copied->smaps->private_dirty_bytes)
      copying.copied = &row;
  }
  if (copying.shares == nullptr) return copying;
  const TimelineRow &from = *copying.shares, &to = *copying.copied;
  copying.grown = to.smaps->private_dirty_bytes - std::min(to.smaps->private_dirty_bytes, from.smaps->private_dirty_bytes);
  copying.allocated = to.requested_bytes - std::min(to.requested_bytes, from.requested_bytes);
  return copying;
}

Bytes private_dirty(const LedgerSnapshot& snapshot) { return snapshot.private_dirty_bytes; }

}  // namespace

void find_copy_on_write(const FindingInput& input, Findings& findings) {
  const ProcessReport& process = *input.process;
  const Copying copying = copying_of(process);
  if (copying.shares == nullptr || copying.shares->smaps->shared_dirty_bytes < least_shared(process)) return;
  const TimelineRow& at = *copying.shares;
  const Bytes shared = at.smaps->shared_dirty_bytes;
  const bool child = process.start == trace::ProcessStart::fork;
  Finding finding = make_finding(FindingKind::copy_on_write, Effect::informs, Certainty::exact, shared,
                                 phase_at(process, at.time_ns));
  finding.sentence = fmt::format("{} of {} RSS {} are pages that this process shares with {}; private are {}.",
                                 format_bytes(shared), format_bytes(at.rss_bytes),
                                 moment_words(process, finding.phase, at.time_ns),
                                 child ? "the process that forked it" : "a forked child",
                                 format_bytes(at.smaps->private_dirty_bytes));
  finding.cause = "After fork both count the same pages in RSS: add PSS or private dirty, not RSS.";
  if (const LedgerSnapshot* snapshot = snapshot_near(process, at.time_ns)) {
    const std::string course = course_after(process, *snapshot, private_dirty);
    if (!course.empty() && course.find("stays so") == std::string::npos)
      finding.cause += " As for private dirty:" + course;
  }
  if (copying.grown >= least_notable(process) && copying.allocated * 2 < copying.grown) {
    finding.cause += fmt::format(
        " Private dirty grows by {} while live blocks grow by {}: {}.", format_bytes(copying.grown),
        format_bytes(copying.allocated),
        child ? "writing to shared pages copies them" : "the other process wrote to them or ended");
    if (child && is_python(process)) {
      finding.cause += kPythonWrites;
      finding.remedy = kPythonRemedy;
      finding.effect = Effect::lowers_peak;
    }
  }
  finding.evidence = {
      {"shared_bytes", static_cast<std::int64_t>(shared), Unit::bytes},
      {"private_dirty_bytes", static_cast<std::int64_t>(at.smaps->private_dirty_bytes), Unit::bytes},
      {"private_dirty_growth_bytes", static_cast<std::int64_t>(copying.grown), Unit::bytes},
      {"live_growth_bytes", static_cast<std::int64_t>(copying.allocated), Unit::bytes}};
  findings.push_back(std::move(finding));
}

void tell_children(std::vector<ProcessReport>& processes) {
  for (ProcessReport& parent : processes) {
    const auto finding = std::find_if(parent.findings.begin(), parent.findings.end(), [](const Finding& found) {
      return found.kind == FindingKind::copy_on_write;
    });
    if (finding == parent.findings.end() || parent.start == trace::ProcessStart::fork) continue;
    const ProcessReport* most = nullptr;
    Copying copied;
    for (const ProcessReport& child : processes) {
      if (child.ppid != parent.pid || child.start != trace::ProcessStart::fork) continue;
      const Copying copying = copying_of(child);
      if (copying.shares == nullptr || copying.grown <= copied.grown) continue;
      copied = copying;
      most = &child;
    }
    if (most == nullptr || copied.grown < least_notable(parent)) continue;
    finding->cause += fmt::format(" In the child {} private dirty grew by {} while it allocated {} in {} calls.", most->pid,
                                  format_bytes(copied.grown), format_bytes(most->totals.figures.allocated_bytes),
                                  format_count(most->totals.figures.calls));
    finding->evidence.push_back({"child_copied_bytes", static_cast<std::int64_t>(copied.grown), Unit::bytes});
    if (!is_python(*most) || copied.allocated * 2 >= copied.grown) continue;
    finding->cause += kPythonWrites;
    finding->remedy = kPythonRemedy;
  }
}

}  // namespace memswell::analysis
