#include "capture/region.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <fstream>
#include <string>
#include <string_view>

#include "base/under_sanitizer.h"

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
  EXPECT_EQ(header.sampled_set_offset, header.region_bytes) << "behind the pool: the file has it, the recorder maps it not";
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

// Of the region's mappings in this process.
Bytes private_dirty_kb() {
  std::ifstream smaps("/proc/self/smaps");
  Bytes sum = 0;
  bool of_region = false;
  constexpr std::string_view kKey = "Private_Dirty:";
  for (std::string line; std::getline(smaps, line);) {
    const bool begins_mapping = line.find('-') < line.find(' ');
    if (begins_mapping) of_region = line.find("/memfd:memswell") != std::string::npos;
    if (of_region && line.starts_with(kKey)) sum += std::stoull(line.substr(kKey.size()));
  }
  return sum;
}

TEST(Region, PagesThatAProgramFillsAreNoPrivateMemoryOnceTheyAreShared) {
  const Region region = *Region::create({});
  const auto bytes = static_cast<std::size_t>(region.bytes());
  // A program's view of it: another mapping of the same file in a child, which fills 100 pages of 200 that it has claimed.
  region.header().pool_used[1].store(~std::uint64_t{0});
  region.header().pool_used[2].store(~std::uint64_t{0});
  region.header().pool_used[3].store(~std::uint64_t{0});
  int ready[2], go[2], answer[2];
  ASSERT_TRUE(pipe(ready) == 0 && pipe(go) == 0 && pipe(answer) == 0);
  const pid_t child = fork();
  if (child == 0) {
    auto* mapped = static_cast<std::byte*>(mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, region.fd(), 0));
    const Bytes before = private_dirty_kb();
    std::memset(mapped + region.header().pool_offset + 64 * format::kPageBytes, 1, 100 * format::kPageBytes);
    const Bytes alone = private_dirty_kb() - before;
    char byte = 0;
    if (write(ready[1], "r", 1) != 1 || read(go[0], &byte, 1) != 1) _exit(1);
    const Bytes figures[] = {alone, private_dirty_kb() - std::min(before, private_dirty_kb())};
    _exit(write(answer[1], figures, sizeof figures) == sizeof figures ? 0 : 1);
  }
  char byte = 0;
  ASSERT_EQ(read(ready[0], &byte, 1), 1);
  region.share_used_pages();
  ASSERT_EQ(write(go[1], "g", 1), 1);
  Bytes figures[2] = {};
  ASSERT_EQ(read(answer[0], figures, sizeof figures), static_cast<ssize_t>(sizeof figures));
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_GE(figures[0], 400u);
  EXPECT_LT(figures[1], 100u);
  struct stat file;
  ASSERT_EQ(fstat(region.fd(), &file), 0);
  EXPECT_LT(file.st_blocks * 512, 150 * 4096) << "pages that nobody has filled stay away";
}

TEST(Region, ASmallPoolIsNotReadBeyondItsEndWhateverProgramsClaim) {
  if (kUnderSanitizer) GTEST_SKIP() << "its shadow memory does not fit under a limit";
  const pid_t child = fork();
  if (child == 0) {
    std::uint64_t pages = 0;
    std::ifstream("/proc/self/statm") >> pages;
    const rlimit limit{pages * 4096 + (64u << 20), RLIM_INFINITY};
    if (setrlimit(RLIMIT_AS, &limit) != 0) _exit(2);
    const auto region = Region::create({});
    if (!region || region->pool_pages(format::kPoolPages - 1, 1) != nullptr) _exit(3);
    for (auto& word : region->header().pool_used) word.store(~std::uint64_t{0});
    region->share_used_pages();
    _exit(0);
  }
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
}

TEST(Region, ShowsThatTheRecorderLives) {
  const Region region = *Region::create({});
  ASSERT_TRUE(region.lock_recorder_mutex());
  EXPECT_NE(region.header().recorder_mutex[0], 0u);
  EXPECT_EQ(region.header().recorder_mutex[0] & format::kFutexOwnerDied, 0u);
}

}  // namespace
}  // namespace memswell::capture
