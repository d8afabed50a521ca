#include "analysis/range_maximum.h"

#include <gtest/gtest.h>

namespace memswell::analysis {
namespace {

TEST(RangeMaximum, IsThatOfAnyRange) {
  const std::vector<Bytes> values{3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5};
  const RangeMaximum maximum(values);
  for (std::size_t begin = 0; begin <= values.size(); ++begin) {
    Bytes largest = 0;
    for (std::size_t end = begin; end <= values.size(); ++end) {
      EXPECT_EQ(maximum.of(begin, end), largest) << begin << " to " << end;
      if (end < values.size()) largest = std::max(largest, values[end]);
    }
  }
}

TEST(RangeMaximum, OfNothingIsNothing) {
  EXPECT_EQ(RangeMaximum({}).of(0, 0), 0u);
  EXPECT_EQ(RangeMaximum({7}).of(1, 1), 0u);
  EXPECT_EQ(RangeMaximum({7}).of(1, 0), 0u);
}

}  // namespace
}  // namespace memswell::analysis
