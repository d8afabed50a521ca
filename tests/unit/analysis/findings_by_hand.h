// A process's report by hand, and the findings that are made of it.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "analysis/findings.h"

namespace memswell::analysis::test {

inline constexpr Bytes kMiB = Bytes{1} << 20;

// A report by hand, with site 0 called "work (prog.c:5)".
class FindingsTest : public ::testing::Test {
 protected:
  FindingsTest() {
    process_.allocator = "glibc 2.36";
    process_.executable = "/usr/bin/prog";
    process_.totals.peak_rss_bytes = 100 * kMiB;
    process_.exit.reason = trace::EndReason::exited;
    site("work");
    phase("start", 0, 10);
  }
  Site& site(const std::string& function) {
    Site made;
    made.function = function;
    made.file = "prog.c";
    made.line = 5;
    process_.sites.push_back(made);
    return process_.sites.back();
  }
  Phase& phase(const std::string& name, Nanoseconds begin, Nanoseconds end) {
    Phase made;
    made.name = name;
    made.begin_ns = begin;
    made.end_ns = end;
    process_.phases.push_back(made);
    return process_.phases.back();
  }
  LedgerSnapshot& snapshot(const std::string& phase) {
    LedgerSnapshot made;
    made.phase = phase;
    made.heap_exact = true;
    for (std::size_t i = 0; i < kOwners; ++i) made.rows.push_back({static_cast<Owner>(i), 0});
    process_.snapshots.push_back(made);
    process_.peak_snapshot = process_.exit_snapshot = static_cast<int>(process_.snapshots.size()) - 1;
    return process_.snapshots.back();
  }
  static Bytes& row(LedgerSnapshot& snapshot, Owner owner) {
    return snapshot.rows[static_cast<std::size_t>(owner)].bytes;
  }
  SiteShare& share(LedgerSnapshot& snapshot, std::uint32_t site = 0) {
    snapshot.sites.emplace_back().site = SiteIndex{site};
    return snapshot.sites.back();
  }
  TimelineRow& smaps_row(Nanoseconds time) {
    TimelineRow made;
    made.time_ns = time;
    made.smaps = SmapsFigures{};
    process_.timeline.push_back(made);
    return process_.timeline.back();
  }
  Window& window(Nanoseconds begin, Nanoseconds end) {
    Window made;
    made.begin_ns = begin;
    made.end_ns = end;
    windows_.push_back(made);
    return windows_.back();
  }

  std::vector<Finding> all() {
    FindingInput input;
    input.process = &process_;
    input.windows = &windows_;
    input.environment = environment_;
    input.stretches = stretches_;
    return find_findings(input);
  }
  // The only one of its kind; fails if there is none or more.
  Finding only(FindingKind kind) {
    std::vector<Finding> found;
    for (Finding& finding : all()) {
      if (finding.kind == kind) found.push_back(std::move(finding));
    }
    EXPECT_EQ(found.size(), 1u);
    return found.empty() ? Finding{} : found.front();
  }
  bool has(FindingKind kind) {
    for (const Finding& finding : all()) {
      if (finding.kind == kind) return true;
    }
    return false;
  }

  ProcessReport process_;
  std::vector<Window> windows_;
  std::vector<std::string> environment_;
  std::vector<Nanoseconds> stretches_;
};

}  // namespace memswell::analysis::test
