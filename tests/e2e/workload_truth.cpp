#include "tests/e2e/workload_truth.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <sstream>

namespace memswell::tests {
namespace {

using nlohmann::json;

constexpr double kPages = 0.01;            // of the figure
constexpr double kFewPages = 16 * 4096.0;  // what a phase boundary itself touches
// Two runs: pages of libc are mapped 16 at a time around the one that is touched, and other functions are called when
// memswell is there. Measured in 225 phases: −16 … +71 pages between the peaks of the two, beside the bound.
constexpr double kFilePages = 64 * 4096.0;
// One run, read by the program and then by memswell: measured in 225 phases 0 pages, once 1.
constexpr double kReadTwice = 2 * 4096.0;

void expect_near(double said, double truth, const std::string& what) {
  EXPECT_NEAR(said, truth, std::abs(truth) * kPages + kFewPages) << what;
}

// Anonymous memory, against the run without memswell: recording must not have changed the footprint either.
void expect_same_private_dirty(const Told& told) {
  const json& base = named(told.process.at("phases"), "base");
  const json& truth_base = named(told.alone.at("phases"), "base");
  for (const json& truth : told.alone.at("phases")) {
    const std::string name = truth.at("name");
    const json& phase = named(told.process.at("phases"), name);
    expect_near(number(phase, "end_private_dirty_bytes") - number(base, "end_private_dirty_bytes"),
                number(truth, "private_dirty_bytes") - number(truth_base, "private_dirty_bytes"), name);
    EXPECT_NEAR(number(phase, "peak_rss_bytes") - number(base, "end_rss_bytes"),
                number(truth, "peak_rss_bytes") - number(truth_base, "rss_bytes"),
                number(truth, "peak_rss_bytes") * kPages + kFilePages + number(phase, "peak_rss_bound_bytes"))
        << name << " peak RSS";
  }
}

// A program that ends a moment after a boundary may be gone before memswell has looked at it: the exit's snapshot stands for
// both. Only then may one be missing.
bool is_outrun(const Told& told, std::size_t phase, const std::string& at) {
  constexpr double kMoment = 0.5e9;
  const json& snapshots = told.process.at("snapshots");
  if (std::ranges::any_of(snapshots, [&](const json& each) { return each.at("at") == at; })) return false;
  const json& phases = told.recorded.at("phases");
  double left = 0;
  for (std::size_t i = phase + 1; i < phases.size(); ++i) left += number(phases[i], "wall_ns");
  return left < kMoment;
}

// RSS, against what the program read in the same run, just before memswell did: never more, and less only by pages of
// memswell's own, which its recorder gives back as it empties the rings; the bound of the phase's peak says how many those
// can be. The last phase ends at the exit.
void expect_same_rss(const Told& told) {
  const json& phases = told.recorded.at("phases");
  for (std::size_t i = 0; i < phases.size(); ++i) {
    const bool last = i + 1 == phases.size();
    const std::string at = last ? "exit" : "phase " + phases[i + 1].at("name").get<std::string>();
    if (is_outrun(told, i, at)) continue;
    const double more = number(snapshot_at(told.process, at), "smaps_rss_bytes") - number(phases[i], "rss_bytes");
    EXPECT_LE(more, kReadTwice) << at;
    const json& phase = named(told.process.at("phases"), phases[i].at("name"));
    EXPECT_GE(more, -kReadTwice - number(phase, "peak_rss_bound_bytes")) << at;
  }
}

}  // namespace

Words command_line(const std::string& name, const std::string& arguments) {
  Words command{std::string(MEMSWELL_WORKLOADS) + "/" + name};
  std::istringstream words(arguments);
  for (std::string word; words >> word;) command.push_back(word);
  return command;
}

Told tell(const std::string& name, const std::string& arguments) {
  const Words command = command_line(name, arguments);
  Told told;
  told.alone = json::parse(run({.argv = command}).out);
  const Recorded recorded = record(command);
  EXPECT_EQ(recorded.run.exit_code, 0) << recorded.run.err;
  told.recorded = json::parse(recorded.run.out);
  told.process = process(recorded, name);
  return told;
}

const json& named(const json& phases, const std::string& name) {
  for (const json& phase : phases) {
    if (phase.at("name") == name) return phase;
  }
  throw std::runtime_error("no phase " + name);
}

const json& snapshot_at(const json& process, const std::string& at) {
  for (const json& snapshot : process.at("snapshots")) {
    if (snapshot.at("at") == at) return snapshot;
  }
  throw std::runtime_error("no snapshot at " + at);
}

double number(const json& object, const char* key) { return object.at(key).get<double>(); }

// Of every phase, and of the whole run.
void expect_same_counts(const Told& told) {
  for (const json& truth : told.recorded.at("phases")) {
    const json& phase = named(told.process.at("phases"), truth.at("name"));
    EXPECT_EQ(phase.at("calls"), truth.at("calls")) << truth.at("name");
    EXPECT_EQ(phase.at("allocated_bytes"), truth.at("requested_bytes")) << truth.at("name");
    EXPECT_EQ(phase.at("end_live_bytes"), truth.at("live_bytes")) << truth.at("name");
    EXPECT_EQ(phase.at("peak_live_bytes"), truth.at("peak_live_bytes")) << truth.at("name");
  }
  const json& totals = told.process.at("totals");
  EXPECT_EQ(totals.at("calls"), told.recorded.at("calls"));
  EXPECT_EQ(totals.at("allocated_bytes"), told.recorded.at("requested_bytes"));
  EXPECT_EQ(totals.at("live_blocks_at_exit"), told.recorded.at("live_blocks"));
  EXPECT_EQ(totals.at("live_bytes_at_exit"), told.recorded.at("live_bytes"));
}

void expect_same_pages(const Told& told) {
  expect_same_private_dirty(told);
  expect_same_rss(told);
}

// Every byte of every snapshot has one owner.
void expect_ledgers_add_up(const json& process) {
  for (const json& snapshot : process.at("snapshots")) {
    double sum = number(snapshot, "own_bytes") + number(snapshot, "difference_bytes");
    for (const json& row : snapshot.at("rows")) sum += number(row, "bytes");
    EXPECT_EQ(sum, number(snapshot, "smaps_rss_bytes")) << snapshot.at("at");
  }
}

}  // namespace memswell::tests
