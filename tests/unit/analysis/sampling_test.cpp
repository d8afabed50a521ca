// Estimates from a sample of the calls: right on average, and as far off as their error bars say. Seeds are fixed: these
// tests give the same numbers each time.
#include "analysis/sampling.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "analysis/ledger.h"
#include "tests/unit/analysis/events_by_hand.h"

namespace memswell::analysis {
namespace {

using test::allocation;
using test::release;

constexpr Bytes kMean = 64 * 1024;
constexpr Bytes kAlways = 128 * 1024;

Sampling sampling() { return Sampling(trace::RecordingMode{.start_on = {}, .sample_bytes = kMean, .always_bytes = kAlways}); }

Block block_of(Bytes requested, Nanoseconds time = 0) { return Block(allocation(0x1000, requested, 1, time)); }

TEST(Sampling, WithoutItABlockStandsForItself) {
  const BlockShare share = Sampling().share(block_of(100));
  EXPECT_EQ(share.blocks, 1u);
  EXPECT_EQ(share.requested, 100u);
  EXPECT_EQ(share.slack, 4u);
  EXPECT_EQ(share.bytes_variance, 0);
}

TEST(Sampling, ALargeBlockStandsForItself) {
  EXPECT_EQ(sampling().share(block_of(200'000)).blocks, 1u);
  EXPECT_EQ(sampling().share(block_of(200'000)).bytes_variance, 0);
}

TEST(Sampling, ASmallBlockStandsForAsManyAsAreNotRecorded) {
  const BlockShare share = sampling().share(block_of(100));  // usable 104
  const double weight = 1 / -std::expm1(-104.0 / kMean);
  EXPECT_NEAR(static_cast<double>(share.blocks), weight, 1);
  EXPECT_EQ(share.requested, static_cast<Bytes>(std::llround(100 * weight)));
  EXPECT_NEAR(share.bytes_variance, 100 * 100 * weight * (weight - 1), 1);
}

TEST(Sampling, WholeNumbersOfBlocksAreRightOnAverage) {
  const double weight = 1 / -std::expm1(-100'008.0 / kMean);  // 1.28
  double sum = 0;
  constexpr int kBlocks = 20'000;
  for (int i = 0; i < kBlocks; ++i)
    sum += static_cast<double>(sampling().share(block_of(100'000, static_cast<Nanoseconds>(i) * 1000)).blocks);
  EXPECT_NEAR(sum / kBlocks, weight, 0.01);
}

// A thread that allocates as kinds of blocks, chosen as the probe does; the truth is known.
struct Kind {
  std::uint32_t stack;
  Bytes requested;
  int blocks;
};
constexpr Kind kKinds[] = {{1, 40, 40'000}, {2, 3'000, 2'000}, {3, 90'000, 60}, {4, 200'000, 3}};

struct Estimate {
  Figures figures[5];
};

Estimate run_once(std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::exponential_distribution<double> distance(1.0 / kMean);
  double left = distance(random);
  test::StackIsSite sites;
  Ledger ledger(sites, 0, sampling());
  Address address = 0x10000;
  Nanoseconds time = 0;
  for (const Kind& kind : kKinds) {
    for (int i = 0; i < kind.blocks; ++i) {
      const trace::Allocation event = allocation(address += 0x100'000, kind.requested, kind.stack, time += 700);
      bool chosen = event.usable >= kAlways;
      if (!chosen && (left -= static_cast<double>(event.usable)) < 0) {
        chosen = true;
        left = distance(random);
      }
      if (!chosen) continue;
      ledger.on(event);
      if (i % 2 == 1) ledger.on(release(event.address, trace::Release::Kind::free, time));  // half of them stay
    }
  }
  ledger.finish(time);
  Estimate estimate;
  for (const StackFigures& entry : ledger.figures()) estimate.figures[entry.stack.value] = entry.figures;
  return estimate;
}

struct Moments {
  double sum = 0;
  double squares = 0;
  double stated_variance = 0;
  int within_two = 0;
  void add(double error, double variance) {
    sum += error;
    squares += error * error;
    stated_variance += variance;
    within_two += error * error <= 4 * variance ? 1 : 0;
  }
};

constexpr int kRuns = 400;

// The mean of all runs within three of its standard errors; the spread as stated.
void expect_as_stated(const Moments& m, const char* what) {
  const double stated = m.stated_variance / kRuns;
  EXPECT_LE(std::abs(m.sum / kRuns), 3 * std::sqrt(stated / kRuns)) << what;
  EXPECT_NEAR(m.squares / kRuns / stated, 1, 0.25) << what;
  EXPECT_GE(m.within_two, kRuns * 88 / 100) << what;
}

TEST(Sampling, EstimatesAreUnbiasedAndAsFarOffAsTheySay) {
  Moments bytes[5], calls[5], live[5];
  for (int run = 0; run < kRuns; ++run) {
    const Estimate estimate = run_once(1000 + static_cast<std::uint64_t>(run));
    for (const Kind& kind : kKinds) {
      const Figures& f = estimate.figures[kind.stack];
      const double all = static_cast<double>(kind.requested) * kind.blocks;
      bytes[kind.stack].add(static_cast<double>(f.allocated_bytes) - all, f.allocated_variance);
      calls[kind.stack].add(static_cast<double>(f.calls) - kind.blocks, f.calls_variance);
      const int kept = (kind.blocks + 1) / 2;
      live[kind.stack].add(static_cast<double>(f.live_bytes) - static_cast<double>(kind.requested) * kept, f.live_variance);
    }
  }
  for (const std::uint32_t stack : {1u, 2u, 3u}) {
    expect_as_stated(bytes[stack], "bytes");
    expect_as_stated(live[stack], "live");
  }
  expect_as_stated(calls[1], "calls");
  expect_as_stated(calls[2], "calls");
  EXPECT_EQ(bytes[4].sum, 0);
  EXPECT_EQ(calls[4].squares, 0);
}

TEST(SampledLedger, WhatComesGoesAgainToTheLastByte) {
  test::StackIsSite sites;
  Ledger ledger(sites, 0, sampling());
  for (Address i = 1; i <= 500; ++i) ledger.on(allocation(i * 0x100'000 + i * 16, 10 + i * 150, 1, i * 900));
  for (Address i = 1; i <= 500; ++i)
    ledger.on(release(i * 0x100'000 + i * 16, trace::Release::Kind::free, 1'000'000 + i));
  ledger.finish(2'000'000);
  const Figures f = ledger.figures().at(0).figures;
  EXPECT_EQ(f.live_bytes, 0u);
  EXPECT_EQ(f.live_blocks, 0u);
  EXPECT_EQ(f.slack_bytes, 0u);
  EXPECT_EQ(f.live_variance, 0);
  EXPECT_EQ(f.frees, f.calls);
  EXPECT_EQ(f.temporary, 0u) << "the next event may not have been recorded";
}

TEST(SampledLedger, WithoutCountsWhatLivesIsAnEstimateToo) {
  test::StackIsSite sites;
  Ledger ledger(sites, 0, sampling());
  const trace::Allocation event = allocation(0x1000, 3'001);
  ledger.on(event);
  const trace::CallTotals all = ledger.live_of_all();
  EXPECT_NEAR(static_cast<double>(all.live_blocks), 1 / -std::expm1(-static_cast<double>(event.usable) / kMean), 1);
  EXPECT_GT(all.usable_bytes, all.live_bytes);
  ProcessTotals totals;
  ledger.fill(totals);
  EXPECT_FALSE(totals.counted);
}

TEST(SampledLedger, AChildsInheritedBlocksGoToTheLast) {
  test::StackIsSite sites;
  Ledger parent(sites, 0, sampling());
  for (Address i = 1; i <= 100; ++i) parent.on(allocation(i * 0x100'000, 10 + i * 150, 1, i * 900));
  Ledger child = parent.fork(1'000'000);
  for (Address i = 1; i <= 100; ++i) child.on(release(i * 0x100'000));
  child.finish(2'000'000);
  ProcessTotals totals;
  child.fill(totals);
  EXPECT_GT(totals.inherited_blocks, 100u);
  EXPECT_EQ(totals.inherited_live_at_exit, 0u);
  EXPECT_EQ(totals.inherited_live_bytes_at_exit, 0u);
}

TEST(SampledLedger, TotalsAreThoseCounted) {
  test::StackIsSite sites;
  Ledger ledger(sites, 0, sampling());
  ledger.on(allocation(0x1000, 100));
  trace::CallTotals told;
  told.time = 10;
  told.calls = 777;
  told.allocated_bytes = 80'000;
  told.frees = 700;
  told.live_blocks = 77;
  told.live_bytes = told.usable_bytes = 9'000;
  told.peak_live_bytes = 50'000;
  told.peak_live_ns = 9;
  told.peak_uncertain_bytes = 16'384;
  ledger.on(told);
  ledger.on(release(0x1000));
  ledger.on(release(0x7000));  // not recorded: nothing is missed
  told.peak_live_bytes = told.live_bytes;
  ledger.on(told);
  EXPECT_EQ(ledger.live_bytes(), 9'000u);
  ledger.finish(20);
  ProcessReport report;
  ledger.fill(report);
  EXPECT_FALSE(report.earlier);
  EXPECT_TRUE(report.totals.counted);
  EXPECT_EQ(report.totals.figures.calls, 777u);
  EXPECT_EQ(report.totals.figures.allocated_bytes, 80'000u);
  EXPECT_EQ(report.totals.live_bytes_at_exit, 9'000u);
  EXPECT_EQ(report.totals.peak_live_bytes, 50'000u);
  EXPECT_EQ(report.totals.peak_live_uncertain_bytes, 16'384u);
  EXPECT_EQ(report.totals.unmatched_frees, 0u);
  EXPECT_EQ(ledger.windows().windows().at(0).calls, 777u);
  EXPECT_EQ(ledger.windows().windows().at(0).peak_live_bytes, 50'000u);
}

}  // namespace
}  // namespace memswell::analysis
