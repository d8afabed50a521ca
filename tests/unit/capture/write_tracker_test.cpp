#include "capture/write_tracker.h"

#include <gtest/gtest.h>

namespace memswell::capture {
namespace {

constexpr Address kPage = 4096;
constexpr auto kPresent = static_cast<std::uint32_t>(trace::PageBit::present);
constexpr auto kTracked = static_cast<std::uint32_t>(trace::PageBit::tracked);
constexpr auto kWritten = static_cast<std::uint32_t>(trace::PageBit::written);

smaps::PageRun scanned(Address first, Address pages, bool written) {
  const std::uint32_t bits = smaps::PageBit::present | smaps::PageBit::written;
  return {first * kPage, (first + pages) * kPage, written ? bits : kPresent};
}

TEST(WithWrites, ARunIsSplitWhereWritesBeginAndEnd) {
  const std::vector<trace::PageRun> runs = {{10 * kPage, 20 * kPage, kPresent}};
  const std::vector<smaps::PageRun> scan = {scanned(8, 4, false), scanned(12, 3, true), scanned(15, 10, false)};
  const auto marked = with_writes(runs, scan);
  const std::vector<trace::PageRun> expected = {{10 * kPage, 12 * kPage, kPresent | kTracked},
                                                {12 * kPage, 15 * kPage, kPresent | kTracked | kWritten},
                                                {15 * kPage, 20 * kPage, kPresent | kTracked}};
  EXPECT_EQ(marked, expected);
}

TEST(WithWrites, PagesThatTheScanDoesNotKnowCountAsWritten) {
  const std::vector<trace::PageRun> runs = {{kPage, 3 * kPage, kPresent}, {5 * kPage, 9 * kPage, kPresent}};
  const auto marked = with_writes(runs, std::vector{scanned(6, 1, false)});
  const std::vector<trace::PageRun> expected = {{kPage, 3 * kPage, kPresent | kTracked | kWritten},
                                                {5 * kPage, 6 * kPage, kPresent | kTracked | kWritten},
                                                {6 * kPage, 7 * kPage, kPresent | kTracked},
                                                {7 * kPage, 9 * kPage, kPresent | kTracked | kWritten}};
  EXPECT_EQ(marked, expected);
}

}  // namespace
}  // namespace memswell::capture
