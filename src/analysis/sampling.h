// What a recording of some of the calls says about all of them (trace::RecordingMode).
//
// A block of usable size u is recorded with probability p = 1 − exp(−u / mean), whatever else happens: so it stands for
// 1/p blocks like it, and a sum over recorded blocks of x/p is right on average (Horvitz and Thompson). Its variance is
// estimated without bias by the sum of x² (1 − p) / p². Blocks of `always` bytes and more stand for themselves.
#pragma once

#include <cstdint>

#include "analysis/block_table.h"
#include "trace/events.h"

namespace memswell::analysis {

// The blocks that a recorded one stands for, in whole numbers: what comes is what goes again.
struct BlockShare {
  std::uint64_t blocks = 1;
  Bytes requested = 0;
  Bytes slack = 0;
  double blocks_variance = 0;
  double bytes_variance = 0;  // of requested
};

class Sampling {
 public:
  Sampling() = default;
  explicit Sampling(const trace::RecordingMode& mode) : mean_(mode.sample_bytes), always_(mode.always_bytes) {}

  bool on() const { return mean_ != 0; }
  Bytes mean_bytes() const { return mean_; }
  Bytes always_bytes() const { return always_; }
  // Was every block of this size recorded?
  bool is_whole(Bytes usable) const { return mean_ == 0 || usable >= always_; }
  BlockShare share(const Block& block) const {
    if (is_whole(block.usable())) return {1, block.requested(), block.slack(), 0, 0};
    return scaled(block);
  }

 private:
  BlockShare scaled(const Block& block) const;

  Bytes mean_ = 0;  // 0: every call is recorded
  Bytes always_ = 0;
};

}  // namespace memswell::analysis
