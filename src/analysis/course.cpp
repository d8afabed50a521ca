#include "analysis/course.h"

#include <fmt/format.h>

#include <algorithm>

#include "analysis/words.h"
#include "base/units.h"

namespace memswell::analysis {
namespace {

constexpr std::size_t kMostChanges = 3;
constexpr Bytes kLeastChange = 64 << 10;

bool begins_phase(const LedgerSnapshot& snapshot) { return snapshot.cause == trace::SnapshotCause::phase; }

Bytes distance(Bytes a, Bytes b) { return a > b ? a - b : b - a; }

bool matters(Bytes change, Bytes of) { return change >= std::max(kLeastChange, of / 10); }

}  // namespace

bool is_steady(const LedgerSnapshot& snapshot) {
  return begins_phase(snapshot) || snapshot.cause == trace::SnapshotCause::exit ||
         snapshot.cause == trace::SnapshotCause::mark;
}

const LedgerSnapshot* largest_snapshot(const ProcessReport& process, const LedgerFigure& figure) {
  const LedgerSnapshot* worst = nullptr;
  for (const LedgerSnapshot& snapshot : process.snapshots) {
    if (worst == nullptr || figure(snapshot) > figure(*worst)) worst = &snapshot;
  }
  if (worst == nullptr) return nullptr;
  const Bytes nearly = figure(*worst) - figure(*worst) / 50;
  for (const LedgerSnapshot& snapshot : process.snapshots) {
    if (is_steady(snapshot) && figure(snapshot) >= nearly) return &snapshot;
  }
  return worst;
}

const LedgerSnapshot* snapshot_near(const ProcessReport& process, Nanoseconds time) {
  constexpr Nanoseconds kNear = 20'000'000;
  const LedgerSnapshot* nearest = nullptr;
  Nanoseconds least = kNear;
  for (const LedgerSnapshot& snapshot : process.snapshots) {
    const Nanoseconds off = snapshot.time_ns > time ? snapshot.time_ns - time : time - snapshot.time_ns;
    if (off > least) continue;
    least = off;
    nearest = &snapshot;
  }
  return nearest;
}

std::string course_after(const ProcessReport& process, const LedgerSnapshot& from, const LedgerFigure& figure) {
  const Bytes at_first = figure(from);
  const auto told_as = [&](const LedgerSnapshot& snapshot) {
    const bool at_end = snapshot.cause == trace::SnapshotCause::exit;
    return fmt::format("{} {}", format_bytes(figure(snapshot)),
                       at_end ? "at the end" : moment_words(process, snapshot.phase, snapshot.time_ns));
  };
  Bytes last = at_first;
  std::string told;
  std::size_t changes = 0;
  const LedgerSnapshot* still = nullptr;  // the last without a change
  bool any = false;
  for (const LedgerSnapshot& snapshot : process.snapshots) {
    if (&snapshot <= &from || !is_steady(snapshot)) continue;
    any = true;
    const bool same_moment = snapshot.phase == from.phase && snapshot.cause != trace::SnapshotCause::exit;
    if (!matters(distance(figure(snapshot), last), at_first)) {
      if (changes == 0 && !same_moment) still = &snapshot;
      continue;
    }
    if (changes == kMostChanges) continue;
    last = figure(snapshot);
    if (changes == 0) told = still == nullptr ? " Then " : fmt::format(" Still {}, then ", told_as(*still));
    told += (changes++ == 0 ? "" : ", ") + told_as(snapshot);
  }
  if (!any) return {};
  return changes == 0 ? " It stays so to the end." : told + ".";
}

std::string course_before(const ProcessReport& process, const LedgerSnapshot& from, const LedgerFigure& figure) {
  const LedgerSnapshot* before = nullptr;
  for (const LedgerSnapshot& snapshot : process.snapshots) {
    if (&snapshot >= &from) break;
    if (begins_phase(snapshot) && snapshot.phase != from.phase) before = &snapshot;
  }
  if (before == nullptr || !matters(distance(figure(*before), figure(from)), figure(from))) return {};
  return fmt::format(" Before, in phase \"{}\", it was {}.", before->phase, format_bytes(figure(*before)));
}

std::optional<Steps> even_steps(const ProcessReport& process, const LedgerFigure& figure) {
  constexpr std::size_t kLeastSteps = 3;
  std::vector<Bytes> levels;
  for (const LedgerSnapshot& snapshot : process.snapshots) {
    if (begins_phase(snapshot)) levels.push_back(figure(snapshot));
  }
  constexpr std::size_t kMost = 200;  // of very many phases the first tell enough
  if (levels.size() > kMost) levels.resize(kMost);
  std::optional<Steps> best;
  for (std::size_t first = 0; first + kLeastSteps < levels.size(); ++first) {
    for (std::size_t last = levels.size() - 1; last >= first + kLeastSteps; --last) {
      if (levels[last] <= levels[first] || (best && last - first <= best->count)) continue;
      const Bytes each = (levels[last] - levels[first]) / (last - first);
      bool even = each >= kLeastChange;
      for (std::size_t i = first; even && i < last; ++i)
        even = levels[i + 1] > levels[i] && distance(levels[i + 1] - levels[i], each) <= each / 4;
      if (even) best = Steps{last - first, each};
    }
  }
  return best;
}

}  // namespace memswell::analysis
