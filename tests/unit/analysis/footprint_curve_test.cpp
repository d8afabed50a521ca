#include "analysis/footprint_curve.h"

#include <gtest/gtest.h>

namespace memswell::analysis {
namespace {

constexpr Bytes kMiB = Bytes{1} << 20;

std::vector<CurvePoint> curve(const std::vector<Bytes>& mib) {
  std::vector<CurvePoint> points;
  for (std::size_t i = 0; i < mib.size(); ++i) points.push_back({i, mib[i] * kMiB});
  return points;
}

TEST(FootprintCurve, APulseIsARiseAndWhatFollowsIt) {
  const auto pulses = find_pulses(curve({10, 50, 100, 60, 20, 20}));
  ASSERT_EQ(pulses.size(), 1u);
  EXPECT_EQ(pulses[0].begin.bytes, 10 * kMiB);
  EXPECT_EQ(pulses[0].peak.time_ns, 2u);
  EXPECT_EQ(pulses[0].end.bytes, 20 * kMiB);
}

TEST(FootprintCurve, EachPassIsAPulseOfItsOwn) {
  const auto pulses = find_pulses(curve({10, 100, 20, 150, 20, 150, 20}));
  ASSERT_EQ(pulses.size(), 3u);
  EXPECT_EQ(pulses[1].peak.bytes, 150 * kMiB);
  EXPECT_EQ(pulses[1].begin.time_ns, 2u);
}

TEST(FootprintCurve, ARiseWithoutAFallEndsWithTheCurve) {
  const auto pulses = find_pulses(curve({10, 50, 100}));
  ASSERT_EQ(pulses.size(), 1u);
  EXPECT_EQ(pulses[0].peak.bytes, pulses[0].end.bytes);
}

TEST(FootprintCurve, RipplesAreNoPulses) { EXPECT_EQ(find_pulses(curve({10, 100, 99, 100, 98, 100, 10})).size(), 1u); }

TEST(FootprintCurve, APlateauIsReachedAtItsBegin) {
  std::vector<CurvePoint> plateau = curve({10, 100, 100, 100, 10});
  plateau[3].bytes += 4096;
  const auto pulses = find_pulses(plateau);
  ASSERT_EQ(pulses.size(), 1u);
  EXPECT_EQ(pulses[0].peak.time_ns, 1u);
  EXPECT_EQ(pulses[0].peak.bytes, 100 * kMiB + 4096);
}

TEST(FootprintCurve, AFlatCurveHasNone) {
  EXPECT_TRUE(find_pulses(curve({10, 10, 10})).empty());
  EXPECT_TRUE(find_pulses({}).empty());
}

TEST(FootprintCurve, TheSmallestGoWhenThereAreTooMany) {
  std::vector<Bytes> teeth;
  for (int i = 0; i < 60; ++i) teeth.insert(teeth.end(), {10, 20});
  teeth.insert(teeth.end(), {10, 100, 10});
  EXPECT_EQ(find_pulses(curve(teeth), 10).size(), 1u);
}

}  // namespace
}  // namespace memswell::analysis
