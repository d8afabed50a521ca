// How a figure goes on after the moment that a finding is about, and how it came: from one announced phase to the next.
// Findings tell with it whether what they are about stays. Snapshots only; without them there is nothing to tell.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "analysis/model.h"

namespace memswell::analysis {

using LedgerFigure = std::function<Bytes(const LedgerSnapshot&)>;

// The snapshot with the largest figure; of several within 2 % the first of a moment that somebody asked for, as peaks
// are caught while things move. Null: no snapshots.
const LedgerSnapshot* largest_snapshot(const ProcessReport& process, const LedgerFigure& figure);

// Of a phase, a mark or the end: a moment that somebody asked for.
bool is_steady(const LedgerSnapshot& snapshot);

// The snapshot taken at this moment, or so near that it stands for it; null: none.
const LedgerSnapshot* snapshot_near(const ProcessReport& process, Nanoseconds time);

// " Then 16.0 MiB in phase \"b\", 0 B in phase \"c\"." (at most three changes that matter), " It stays so to the end." if
// later snapshots show no change; " Still …" before the first change if it stayed for some phases. Empty: no later snapshot.
std::string course_after(const ProcessReport& process, const LedgerSnapshot& from, const LedgerFigure& figure);

// The figure at the phase before: " Before, in phase \"a\", it was 0 B."; empty: there is none, or it was the same.
std::string course_before(const ProcessReport& process, const LedgerSnapshot& from, const LedgerFigure& figure);

// Rises from phase to phase of similar size.
struct Steps {
  std::size_t count = 0;
  Bytes bytes_each = 0;
};
// The longest row of at least three rises in the figure's phases, each within a quarter of the average.
std::optional<Steps> even_steps(const ProcessReport& process, const LedgerFigure& figure);

}  // namespace memswell::analysis
