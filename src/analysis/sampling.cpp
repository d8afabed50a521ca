#include "analysis/sampling.h"

#include <algorithm>
#include <cmath>

namespace memswell::analysis {
namespace {

// Between 0 and 1, the same for the same block.
double fraction_of(const Block& block) {
  std::uint64_t x = block.time_us() * 0x9e37'79b9'7f4a'7c15u ^ (std::uint64_t{block.stack.value} << 32) ^ block.usable() ^
                    std::uint64_t{block.offset_bits} << 20;
  x = (x ^ x >> 30) * 0xbf58'476d'1ce4'e5b9u;
  x = (x ^ x >> 27) * 0x94d0'49bb'1331'11ebu;
  return static_cast<double>((x ^ x >> 31) >> 11) * 0x1p-53;
}

}  // namespace

BlockShare Sampling::scaled(const Block& block) const {
  const double p = -std::expm1(-static_cast<double>(std::max<Bytes>(block.usable(), 1)) / static_cast<double>(mean_));
  const double weight = 1 / p;
  const auto requested = static_cast<double>(block.requested());
  BlockShare share;
  // A block may stand for 1.3: by its fraction for one or two, so that the whole numbers are right on average.
  share.blocks = static_cast<std::uint64_t>(weight + fraction_of(block));
  share.requested = static_cast<Bytes>(std::llround(requested * weight));
  share.slack = static_cast<Bytes>(std::llround(static_cast<double>(block.slack()) * weight));
  const double spread = weight * (weight - 1);
  share.blocks_variance = spread;
  share.bytes_variance = requested * requested * spread;
  return share;
}

}  // namespace memswell::analysis
