#include "capture/region.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstring>

namespace memswell::capture {
namespace {

TEST(Region, DescribesItself) {
  const Region region = *Region::create({.max_depth = 99, .ring_memory = Bytes{1} << 20});
  const format::RunHeader& header = region.header();
  EXPECT_EQ(header.magic, format::kRegionMagic);
  EXPECT_EQ(header.version, format::kRegionVersion);
  EXPECT_EQ(header.region_bytes, region.bytes());
  EXPECT_EQ(header.max_depth, 99u);
  EXPECT_EQ(header.ring_page_budget, 256u);
  EXPECT_EQ(header.enabled.load(), 1u);
  EXPECT_EQ(header.pool_offset + format::kPoolPages * format::kPageBytes, header.sampled_set_offset);
  EXPECT_EQ(header.sampled_set_offset + format::kSampledSetBytes, header.region_bytes);
  EXPECT_EQ(header.walk_stacks.load(), 1u);
  EXPECT_EQ(header.sample_bytes, 0u);
}

TEST(Region, CannotBeShrunkUnderTheRecorder) {
  const Region region = *Region::create({});
  EXPECT_NE(ftruncate(region.fd(), 0), 0);
}

TEST(Region, GivesNoPagesOutsideOfThePool) {
  const Region region = *Region::create({});
  EXPECT_NE(region.pool_pages(0, format::kPoolPages), nullptr);
  EXPECT_EQ(region.pool_pages(1, format::kPoolPages), nullptr);
  EXPECT_EQ(region.pool_pages(format::kPoolPages, 1), nullptr);
  EXPECT_EQ(region.pool_pages(~std::uint64_t{0}, 2), nullptr);
}

TEST(Region, FreedPagesReadAsZeroAndCanBeClaimedAgain) {
  const Region region = *Region::create({});
  region.header().pool_used[1].store(0b111);
  std::memset(region.pool_pages(64, 2), 0xff, 2 * format::kPageBytes);
  region.free_pool_pages(64, 2);
  EXPECT_EQ(region.pool_pages(64, 2)[100], std::byte{0});
  EXPECT_EQ(region.header().pool_used[1].load(), 0b100u);
}

TEST(Region, ShowsThatTheRecorderLives) {
  const Region region = *Region::create({});
  ASSERT_TRUE(region.lock_recorder_mutex());
  EXPECT_NE(region.header().recorder_mutex[0], 0u);
  EXPECT_EQ(region.header().recorder_mutex[0] & format::kFutexOwnerDied, 0u);
}

}  // namespace
}  // namespace memswell::capture
