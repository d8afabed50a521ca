#include "probes/smaps/sampler.h"

#include <gtest/gtest.h>
#include <sys/mman.h>

#include "tests/unit/smaps/arena_child.h"

namespace memswell::smaps {
namespace {

using test::Arena;
using test::ArenaChild;
using test::kPage;

constexpr std::size_t kPages = 4096;
constexpr Bytes kGrowth = kPages * kPage;
constexpr double kSlack = 1 << 20;  // statm is batched

std::unique_ptr<Sampler> sampler_of(const ArenaChild& child) {
  auto sampler = open_sampler(child.pid());
  return sampler ? std::move(*sampler) : nullptr;
}

TEST(Sampler, SeesTheGrowthOfTheProcess) {
#ifdef __SANITIZE_THREAD__
  GTEST_SKIP() << "ThreadSanitizer's shadow of the written pages is private dirty memory too";
#endif
  const Arena arena(kGrowth);
  ArenaChild child({[] {}, [&] { arena.write(0, kPages); }});
  const auto sampler = sampler_of(child);
  const auto before = sampler->read_cheap();
  const auto thorough_before = sampler->read_thorough();
  child.next_step();
  const auto after = sampler->read_cheap();
  const auto thorough_after = sampler->read_thorough();
  ASSERT_TRUE(*before && *after && *thorough_before && *thorough_after);
  EXPECT_NEAR(static_cast<double>((*after)->rss_bytes - (*before)->rss_bytes), double{kGrowth}, kSlack);
  EXPECT_EQ((*after)->size_bytes, (*before)->size_bytes);
  EXPECT_EQ((*after)->commit_bytes, (*before)->commit_bytes);
  const auto grown = (*thorough_after)->private_dirty_bytes - (*thorough_before)->private_dirty_bytes;
  EXPECT_NEAR(static_cast<double>(grown), double{kGrowth}, 64 * 1024);
}

TEST(Sampler, KindsOfPagesAddUpToTheResidentOnes) {
  ArenaChild child({[] {}});
  const auto reading = sampler_of(child)->read_thorough();
  ASSERT_TRUE(*reading);
  const auto& r = **reading;
  EXPECT_GT(r.rss_bytes, 0u);
  EXPECT_EQ(r.private_dirty_bytes + r.private_clean_bytes + r.shared_dirty_bytes + r.shared_clean_bytes, r.rss_bytes);
  EXPECT_LE(r.pss_bytes, r.rss_bytes);
}

TEST(Sampler, AThoroughReadingSaysWhatItCost) {
  ArenaChild child({[] {}});
  const auto reading = sampler_of(child)->read_thorough();
  ASSERT_TRUE(*reading);
  EXPECT_GT((*reading)->cost, 0u);
}

TEST(Sampler, PeaksAreThoseSinceTheReset) {
  const Arena arena(kGrowth);
  ArenaChild child({[&] {
    arena.write(0, kPages);
    ::madvise(arena.page(0), kGrowth, MADV_DONTNEED);
  }});
  const auto sampler = sampler_of(child);
  const auto first = sampler->read_peak();
  const auto reset = sampler->reset_peak();
  if (!reset || !*reset) GTEST_SKIP() << "peaks cannot be reset here";
  const auto second = sampler->read_peak();
  ASSERT_TRUE(*first && *second);
  EXPECT_NEAR(static_cast<double>((*first)->peak_rss_bytes - (*second)->peak_rss_bytes), double{kGrowth}, kSlack);
  EXPECT_GT((*second)->bound_bytes, 0u);
}

TEST(Sampler, AZombieIsGone) {
  ArenaChild child({[] {}});
  const auto sampler = sampler_of(child);
  child.kill_and_leave();
  const auto cheap = sampler->read_cheap();
  const auto thorough = sampler->read_thorough();
  const auto peak = sampler->read_peak();
  ASSERT_TRUE(cheap && thorough && peak);
  EXPECT_FALSE(*cheap || *thorough || *peak);
}

TEST(Sampler, FollowsTheLivingThreadsWhenTheFirstHasEnded) {
  const ArenaChild child(ArenaChild::FirstThread::ends);
  const auto sampler = sampler_of(child);
  const auto cheap = sampler->read_cheap();
  ASSERT_TRUE(cheap && *cheap);
  EXPECT_GT((*cheap)->rss_bytes, 0u);
  const auto peak = sampler->read_peak();
  ASSERT_TRUE(peak && *peak);
  EXPECT_GT((*peak)->peak_rss_bytes, 0u);
}

// The thread that calls exec takes over the pid: what was read of it under its own number is gone.
TEST(Sampler, FollowsAThreadThatBecomesTheProcessByExec) {
  ArenaChild child(ArenaChild::FirstThread::ends);
  const auto sampler = sampler_of(child);
  const auto before = sampler->read_cheap();
  ASSERT_TRUE(before && *before);
  child.run_sleep();
  const auto cheap = sampler->read_cheap();
  ASSERT_TRUE(cheap && *cheap);
  EXPECT_LT((*cheap)->size_bytes, (*before)->size_bytes);
  const auto thorough = sampler->read_thorough();
  ASSERT_TRUE(thorough && *thorough);
}

TEST(Sampler, AnEndedProcessIsGone) {
  ArenaChild child({[] {}});
  const auto sampler = sampler_of(child);
  child.kill_and_collect();
  const auto cheap = sampler->read_cheap();
  const auto thorough = sampler->read_thorough();
  ASSERT_TRUE(cheap && thorough);
  EXPECT_FALSE(*cheap || *thorough);
}

TEST(Sampler, ThereIsNoneForAPidWithoutProcess) {
  const auto sampler = open_sampler(0x7fff'fff0);
  ASSERT_TRUE(sampler);
  EXPECT_EQ(*sampler, nullptr);
}

}  // namespace
}  // namespace memswell::smaps
