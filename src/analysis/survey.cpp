#include "analysis/survey.h"

#include <algorithm>

#include "probes/smaps/smaps_parser.h"

namespace memswell::analysis {
namespace {

// A join costs about 0.1 s per million blocks: snapshots that nothing refers to are left out beyond this many.
constexpr std::size_t kMostJoins = 200;

Bytes rss_of(const trace::SmapsSnapshot& snapshot) {
  if (!snapshot.rollup.empty()) {
    if (const auto rollup = smaps::parse_smaps_rollup(snapshot.rollup)) return rollup->rss_bytes;
  }
  const auto text = smaps::parse_smaps(snapshot.smaps);
  return text ? smaps::total(text->mappings).rss_bytes : 0;
}

}  // namespace

Survey::Process& Survey::process(ProcessIndex index) {
  if (index.value >= processes_.size()) processes_.resize(index.value + 1);
  return processes_[index.value];
}

Bytes Survey::held_bytes() const {
  return stacks_.held_bytes() + processes_.size() * sizeof(Process) + readings_bytes_;
}

void Survey::on(const trace::ProcessBegin& begin) {
  process(begin.process);
  note_time(begin.time);
}

void Survey::on(const trace::Sample& sample) {
  note_time(sample.time);
  const Bytes rss = sample.rss_bytes - std::min(sample.rss_bytes, sample.own_bytes);
  process(sample.process).curve.push_back({sample.time, rss});
  readings_bytes_ += sizeof(CurvePoint);
}

void Survey::on(const trace::PageSnapshot& snapshot) {
  Process& process = this->process(snapshot.process);
  const Bytes rss = process.curve.empty() ? 0 : process.curve.back().bytes;
  process.snapshots.push_back({snapshot.time, snapshot.cause, rss});
  readings_bytes_ += sizeof(Snapshot);
  if (process.own.empty()) process.own = snapshot.own;
}

void Survey::on(const trace::SmapsSnapshot& snapshot) {
  note_time(snapshot.time);
  Process& process = this->process(snapshot.process);
  if (!process.snapshots.empty() && process.snapshots.back().time_ns == snapshot.time) {
    process.snapshots.back().rss_bytes = rss_of(snapshot);
  }
}

void Survey::choose_joins(const std::vector<Snapshot>& snapshots, Plan& plan) {
  plan.join.assign(snapshots.size(), false);
  if (snapshots.empty()) return;
  Bytes largest = 0;
  for (const Snapshot& snapshot : snapshots) largest = std::max(largest, snapshot.rss_bytes);
  // The first of those that are as good as the largest: on a plateau it shows what made the peak.
  plan.peak_snapshot = 0;
  while (snapshots[plan.peak_snapshot].rss_bytes < largest - largest / 100) ++plan.peak_snapshot;
  plan.join[plan.peak_snapshot] = true;
  plan.join.back() = true;
  const auto join_nearest = [&](Nanoseconds time) {
    const auto after = std::lower_bound(snapshots.begin(), snapshots.end(), time,
                                        [](const Snapshot& s, Nanoseconds t) { return s.time_ns < t; });
    auto nearest = static_cast<std::size_t>(after - snapshots.begin());
    if (after == snapshots.end() || (nearest > 0 && time - snapshots[nearest - 1].time_ns < after->time_ns - time)) {
      --nearest;
    }
    plan.join[nearest] = true;
  };
  for (const PulseShape& pulse : plan.pulses) {
    for (const CurvePoint* point : {&pulse.begin, &pulse.peak, &pulse.end}) join_nearest(point->time_ns);
  }
  std::size_t joins = 0;
  for (std::size_t i = 0; i < snapshots.size(); ++i) {
    const bool asked_for = snapshots[i].cause == trace::SnapshotCause::phase ||
                           snapshots[i].cause == trace::SnapshotCause::mark ||
                           snapshots[i].cause == trace::SnapshotCause::exit;
    if (asked_for && joins++ < kMostJoins) plan.join[i] = true;
  }
}

// Where nobody announces phases, growth that never ends is seen from one part of the run to the next.
void Survey::cut_stretches(const std::vector<CurvePoint>& curve, Plan& plan) {
  constexpr std::size_t kStretches = 8;
  constexpr Nanoseconds kShortestLife = 1'000'000'000;
  if (curve.empty()) return;
  const Nanoseconds begin = curve.front().time_ns;
  const Nanoseconds life = curve.back().time_ns - begin;
  if (life < kShortestLife) return;
  for (std::size_t i = 1; i <= kStretches; ++i) {
    const auto at = std::lower_bound(curve.begin(), curve.end(), begin + life * i / kStretches,
                                     [](const CurvePoint& point, Nanoseconds time) { return point.time_ns < time; });
    if (at == curve.end()) continue;
    if (!plan.stretches.empty() && plan.stretches.back() == at->time_ns) continue;
    plan.stretches.push_back(at->time_ns);
    plan.cuts.insert(at->time_ns);
  }
}

Plan Survey::plan(ProcessIndex index) const {
  Plan plan;
  if (index.value >= processes_.size()) return plan;
  const Process& process = processes_[index.value];
  plan.pulses = find_pulses(process.curve);
  for (const PulseShape& pulse : plan.pulses) {
    for (const CurvePoint* point : {&pulse.begin, &pulse.peak, &pulse.end}) plan.cuts.insert(point->time_ns);
  }
  cut_stretches(process.curve, plan);
  choose_joins(process.snapshots, plan);
  plan.own = process.own;
  return plan;
}

}  // namespace memswell::analysis
