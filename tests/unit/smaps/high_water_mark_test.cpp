#include "probes/smaps/high_water_mark.h"

#include <gtest/gtest.h>
#include <sys/mman.h>

#include "tests/unit/smaps/arena_child.h"

namespace memswell::smaps {
namespace {

using test::Arena;
using test::ArenaChild;
using test::kPage;

constexpr std::size_t kSpikePages = 4096;
constexpr Bytes kSpike = kSpikePages * kPage;
constexpr Bytes kSlack = Bytes{1} << 20;

Bytes mark(const ProcessFiles& files) {
  ReadBuffer buffer;
  const auto read = read_high_water_mark(files, buffer);
  return read && *read ? **read : 0;
}

TEST(HighWaterMark, SeesASpikeThatIsOver) {
  const Arena arena(kSpike);
  const auto spike = [&] {
    arena.write(0, kSpikePages);
    ::madvise(arena.page(0), kSpike, MADV_DONTNEED);
  };
  ArenaChild child({[] {}, spike});
  const auto files = ProcessFiles::open(child.pid());
  const auto before = mark(**files);
  child.next_step();
  EXPECT_GE(mark(**files) + kSlack, before + kSpike);
}

TEST(HighWaterMark, AResetForgetsTheSpikeAndTheNextOneIsSeenAgain) {
  if (!high_water_mark_resets_work()) GTEST_SKIP() << "clear_refs does not reset the peak here";
  const Arena arena(kSpike);
  const auto spike = [&](std::size_t pages) {
    arena.write(0, pages);
    ::madvise(arena.page(0), kSpike, MADV_DONTNEED);
  };
  ArenaChild child({[&] { spike(kSpikePages); }, [&] { spike(kSpikePages / 2); }});
  const auto files = ProcessFiles::open(child.pid());
  const auto first = mark(**files);
  const auto reset = reset_high_water_mark(**files);
  ASSERT_TRUE(reset && *reset);
  const auto after = mark(**files);
  EXPECT_LE(after + kSpike, first + kSlack);
  child.next_step();
  EXPECT_NEAR(static_cast<double>(mark(**files)), static_cast<double>(after + kSpike / 2), static_cast<double>(kSlack));
}

TEST(HighWaterMark, AZombieHasNone) {
  ArenaChild child({[] {}});
  const auto files = ProcessFiles::open(child.pid());
  child.kill_and_leave();
  ReadBuffer buffer;
  const auto read = read_high_water_mark(**files, buffer);
  ASSERT_TRUE(read);
  EXPECT_FALSE(*read);
}

TEST(HighWaterMark, AnEndedProcessCannotBeReset) {
  ArenaChild child({[] {}});
  const auto files = ProcessFiles::open(child.pid());
  child.kill_and_collect();
  const auto reset = reset_high_water_mark(**files);
  ASSERT_TRUE(reset);
  EXPECT_FALSE(*reset);
}

TEST(HighWaterMark, TheBoundGrowsWithProcessorsOnNewKernelsAndWithThreadsOnOldOnes) {
  EXPECT_EQ(high_water_mark_bound(6, 18, 2, 1, kPage), 3 * 32 * 2 * kPage);
  EXPECT_EQ(high_water_mark_bound(6, 18, 256, 1, kPage), 3 * 512 * 256 * kPage);
  EXPECT_EQ(high_water_mark_bound(6, 1, 256, 4, kPage), 64 * 4 * kPage);
}

}  // namespace
}  // namespace memswell::smaps
