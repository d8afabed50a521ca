// The largest of any range of values that change no more: made in one pass, asked in log n steps, twice the memory of the
// values. For figures that are asked for each of many phases.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "base/ids.h"

namespace memswell::analysis {

class RangeMaximum {
 public:
  explicit RangeMaximum(const std::vector<Bytes>& values) : tree_(values.size() * 2) {
    std::copy(values.begin(), values.end(), tree_.begin() + static_cast<std::ptrdiff_t>(values.size()));
    for (std::size_t node = values.size(); node-- > 1;) tree_[node] = std::max(tree_[2 * node], tree_[2 * node + 1]);
  }

  // Of [begin, end); 0: the range is empty. `end` is at most the number of values.
  Bytes of(std::size_t begin, std::size_t end) const {
    const std::size_t count = tree_.size() / 2;
    Bytes largest = 0;
    for (begin += count, end += count; begin < end; begin /= 2, end /= 2) {
      if (begin % 2 != 0) largest = std::max(largest, tree_[begin++]);
      if (end % 2 != 0) largest = std::max(largest, tree_[--end]);
    }
    return largest;
  }

 private:
  std::vector<Bytes> tree_;  // node i: the larger of 2 i and 2 i + 1; the values are the last half
};

}  // namespace memswell::analysis
