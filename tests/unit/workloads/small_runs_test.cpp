// Each workload, small enough to run in an instant: its counts and bytes are exact, and worked out here a second time.
#include <gtest/gtest.h>

#include "workloads/native_run.h"

namespace memswell::workloads {
namespace {

constexpr std::int64_t kKiB = 1024, kMiB = 1024 * 1024;

Truth run(const std::string& name, const std::string& arguments) {
  auto truth = run_natively(std::string(MEMSWELL_WORKLOADS) + "/" + name, words(arguments));
  EXPECT_TRUE(truth) << truth.error().sentence;
  return truth ? *std::move(truth) : Truth{};
}

std::int64_t growth(const Truth& truth, std::string_view phase, std::string_view metric) {
  return truth.figure(phase, metric).value_or(0) - truth.figure("base", metric).value_or(0);
}

void expect_near(std::int64_t value, std::int64_t expected, std::int64_t tolerance) {
  EXPECT_NEAR(static_cast<double>(value), static_cast<double>(expected), static_cast<double>(tolerance));
}

void assert_everything_freed(const Truth& truth) {
  EXPECT_EQ(truth.figure("", "live_blocks"), 0);
  EXPECT_EQ(truth.figure("", "live_bytes"), 0);
}

TEST(CallocLazy, AllocatesOneBlock) {
  const Truth truth = run("calloc-lazy", "size=1MiB");
  EXPECT_EQ(truth.figure("", "calls"), 1);
  EXPECT_EQ(truth.figure("", "requested_bytes"), kMiB);
  EXPECT_EQ(truth.figure("touch", "live_bytes"), kMiB);
  assert_everything_freed(truth);
}

TEST(CallocTrap, HasAPhaseForEveryCall) {
  const Truth truth = run("calloc-trap", "size=1MiB calls=3");
  ASSERT_EQ(truth.phases.size(), 7u);
  EXPECT_EQ(truth.phases[5].name, "call-3");
  EXPECT_EQ(truth.figure("call-3", "live_bytes"), kMiB);
  EXPECT_EQ(truth.figure("free-3", "live_bytes"), 0);
  EXPECT_EQ(truth.figure("", "requested_bytes"), 3 * kMiB);
}

TEST(CallocBench, TakesEverySizeAsOftenAsTold) {
  const Truth truth = run("calloc-bench", "method=calloc most=1000 loops=2");
  EXPECT_EQ(truth.figure("", "calls"), 3 * 2 * 100);
  EXPECT_EQ(truth.figure("", "requested_bytes"), (10 + 100 + 1000) * 200);
  assert_everything_freed(truth);
}

TEST(BufferTail, GrowsByAnEighth) {
  const Truth truth = run("buffer-tail", "size=40960");
  std::int64_t capacity = 0, calls = 0, requested = 0;
  for (std::int64_t used = 4096; used <= 40960; used += 4096) {
    if (used <= capacity) continue;
    capacity = used + used / 8 + 6;
    requested += capacity;
    ++calls;
  }
  EXPECT_EQ(truth.figure("", "calls"), calls);
  EXPECT_EQ(truth.figure("", "requested_bytes"), requested);
  EXPECT_EQ(truth.figure("append", "overallocated_bytes"), capacity - 40960);
}

TEST(FreelistPulse, BlocksHold41Objects) {
  const Truth truth = run("freelist-pulse", "items=1000 passes=2");
  EXPECT_EQ(truth.figure("fill-1", "live_objects"), 2000);
  EXPECT_EQ(truth.figure("fill-1", "new_blocks"), (2000 + 40) / 41);
  EXPECT_EQ(truth.figure("fill-2", "new_blocks"), 0);
  EXPECT_EQ(truth.figure("drop-2", "live_blocks"), 1 + (2000 + 40) / 41);
  EXPECT_EQ(growth(truth, "drop-2", "live_bytes"), 49 * (8 + 41 * 24));
}

TEST(FreelistPulse, MallocTakesEveryObject) {
  const Truth truth = run("freelist-pulse", "alloc=malloc items=1000 passes=1");
  EXPECT_EQ(truth.figure("fill-1", "calls"), 2000 + 4);  // tables of 32, 128, 512 and 2048 entries
  EXPECT_EQ(growth(truth, "drop-1", "live_blocks"), 0);
}

TEST(FreelistPulse, CompactionKeepsTheSurvivorsBlock) {
  const Truth truth = run("freelist-pulse", "items=1000 passes=1 survivor=1 compact=1");
  EXPECT_EQ(truth.figure("drop-1", "live_objects"), 1);
  EXPECT_EQ(truth.figure("compact-1", "freed_blocks"), 48);
  EXPECT_EQ(growth(truth, "compact-1", "live_blocks"), 1);
}

TEST(FreelistPulse, PoolsReturnTheirArenas) {
  for (const char* alloc : {"pymalloc", "array limit=10", "lifo limit=10"}) {
    const Truth truth = run("freelist-pulse", std::string("items=20000 passes=2 alloc=") + alloc);
    EXPECT_EQ(truth.figure("fill-2", "live_objects"), 40'000) << alloc;
    EXPECT_LE(truth.figure("drop-2", "arenas"), 1) << alloc;
  }
}

TEST(Append, ExactGrowthAsksForWhatIsNeeded) {
  const Truth truth = run("append", "strings=10 appends=20");
  std::int64_t requested = 0;
  for (std::int64_t length = 100; length <= 2000; length += 100) requested += 10 * ((length + 1 + 7) / 8 * 8);
  EXPECT_EQ(truth.figure("append", "string_bytes"), 10 * 20 * 100);
  EXPECT_EQ(truth.figure("append", "reallocs"), 200);
  EXPECT_EQ(truth.figure("append", "requested_bytes"), requested);
  EXPECT_EQ(growth(truth, "free", "live_blocks"), 0);  // one block before "base" moves the heap to the start of a page
  EXPECT_EQ(growth(truth, "free", "live_bytes"), 0);
}

TEST(Append, BothOrdersMakeTheSameStrings) {
  for (const char* policy : {"exact", "plus25", "pow2"}) {
    const Truth one = run("append", std::string("strings=20 appends=50 order=i policy=") + policy);
    const Truth turn = run("append", std::string("strings=20 appends=50 order=_ policy=") + policy);
    EXPECT_EQ(one.figure("append", "reallocs"), turn.figure("append", "reallocs")) << policy;
    EXPECT_EQ(one.figure("", "requested_bytes"), turn.figure("", "requested_bytes")) << policy;
    EXPECT_EQ(one.figure("append", "capacity_bytes"), turn.figure("append", "capacity_bytes")) << policy;
  }
}

TEST(Append, BucketsMoveAtPowersOfTwo) {
  const Truth truth = run("append", "strings=10 appends=100 alloc=bucket order=_");
  EXPECT_EQ(truth.figure("append", "moved"), 10 * 7);  // 128, 256, … 16384 bytes: seven moves a string
  EXPECT_EQ(truth.figure("append", "bucket_free_bytes"), 10 * (128 + 256 + 512 + 1024 + 2048 + 4096 + 8192));
  EXPECT_EQ(truth.figure("", "calls"), 0);
}

TEST(AppendSingle, PowersOfTwoUpToTheLength) {
  const Truth truth = run("append-single", "rows=1 policy=pow2");
  EXPECT_EQ(truth.figure("row-1", "string_bytes"), 1'024'000);
  EXPECT_EQ(truth.figure("row-1", "reallocs"), 17);  // 16 to 2^20
  EXPECT_EQ(truth.figure("", "requested_bytes"), (1 << 21) - 16);
  assert_everything_freed(truth);
}

TEST(FragPin, OneOfFourSurvives) {
  const Truth truth = run("frag-pin", "blocks=1000 survivor=4");
  EXPECT_EQ(truth.figure("alloc", "calls"), 1000);
  EXPECT_EQ(truth.figure("free", "frees"), 750);
  EXPECT_EQ(truth.figure("free", "live_blocks"), 250 + 1);
}

TEST(VectorGrowth, DoublesAndShrinks) {
  const Truth truth = run("vector-growth", "items=1000");
  EXPECT_EQ(truth.figure("push", "calls"), 11);
  EXPECT_EQ(truth.figure("push", "requested_bytes"), 2047 * 8);
  EXPECT_EQ(truth.figure("push", "peak_live_bytes"), (512 + 1024) * 8);
  EXPECT_EQ(truth.figure("shrink", "live_bytes"), 8000);
  assert_everything_freed(truth);
}

TEST(FastbinRetention, FreesAll) {
  const Truth truth = run("fastbin-retention", "blocks=1000");
  EXPECT_EQ(truth.figure("", "calls"), 1001);
  EXPECT_EQ(truth.figure("free", "live_bytes"), 0);
  EXPECT_EQ(truth.figure("", "requested_bytes"), 24'000 + 70'000);
}

TEST(ThreadArenas, AllThreadsAllocate) {
  for (const char* arenas : {"arenas=0", "arenas=1"}) {
    const Truth truth = run("thread-arenas", std::string("threads=3 blocks=100 ") + arenas);
    EXPECT_EQ(truth.figure("hold", "live_blocks"), 300);
    EXPECT_EQ(truth.figure("hold", "live_bytes"), 300'000);
    assert_everything_freed(truth);
  }
}

TEST(ForkCow, TheChildAddsWhatItWrites) {
  const Truth truth = run("fork-cow", "size=4MiB");
  const auto figure = [&](std::string_view name) { return truth.figure("fork", name).value_or(0); };
  expect_near(figure("child_wrote_private_dirty_bytes") - figure("child_read_private_dirty_bytes"), 2 * kMiB, 64 * kKiB);
  expect_near(figure("child_wrote_rss_bytes") - figure("child_read_rss_bytes"), 0, 256 * kKiB);
}

TEST(MmapFile, WrittenPagesBecomePrivate) {
  const Truth truth = run("mmap-file", "size=4MiB");
  expect_near(growth(truth, "write-quarter", "private_dirty_bytes"), kMiB, 16 * kKiB);
  expect_near(growth(truth, "write-quarter", "private_clean_bytes"), 3 * kMiB, 64 * kKiB);
  expect_near(growth(truth, "read", "private_dirty_bytes"), 0, 16 * kKiB);
}

TEST(Stack, StaysAfterTheReturn) {
  const Truth truth = run("stack", "frames=200");
  EXPECT_GE(growth(truth, "returned", "private_dirty_bytes"), 200 * 4096 - 132 * kKiB);
}

TEST(MadvFree, DirtyBecomesLazilyFreed) {
  const Truth truth = run("madv-free", "size=4MiB");
  expect_near(growth(truth, "dirty", "private_dirty_bytes"), 4 * kMiB, 16 * kKiB);
  expect_near(growth(truth, "free", "private_dirty_bytes"), 0, 16 * kKiB);
  expect_near(growth(truth, "rewrite-half", "private_dirty_bytes"), 2 * kMiB, 16 * kKiB);
}

}  // namespace
}  // namespace memswell::workloads
