// The counter is what memswell's own counts are held against, so its figures are held against known programs first.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/interposer/counter_layout.h"
#include "tests/support/counter_report.h"
#include "tests/support/subprocess.h"

namespace memswell::tests {
namespace {

struct CountedRun {
  Finished finished;
  std::vector<Counted> images;
};

// Compiles a C program and runs it with the counter preloaded.
class CounterTest : public ::testing::Test {
 protected:
  CountedRun count(const std::string& body) {
    const std::string binary = folder_.file("program");
    const Command compile{.argv = {"cc", "-O0", "-fno-builtin", "-w", "-pthread", "-o", binary, "-xc", "-"},
                          .input =
                              "#define _GNU_SOURCE\n#include <malloc.h>\n#include <pthread.h>\n#include <signal.h>\n"
                              "#include <stdint.h>\n#include <stdlib.h>\n#include <sys/wait.h>\n"
                              "#include <unistd.h>\nvoid *keep[100000];\n" +
                              body};
    EXPECT_EQ(run(compile).exit_code, 0);
    const std::string file = folder_.file("counts");
    make_counter_file(file);
    CountedRun result;
    result.finished =
        run({.argv = {binary}, .environment = {{"LD_PRELOAD", MEMSWELL_COUNTER}, {COUNTER_FILE_VARIABLE, file}}});
    result.images = read_counter_file(file);
    return result;
  }

 private:
  TemporaryFolder folder_;
};

TEST_F(CounterTest, CountsEachMemberOfTheFamilyOnce) {
  const CountedRun r = count(
      "int main() { for (int i = 0; i < 10; i++) keep[i] = malloc(100); for (int i = 0; i < 20; i++) keep[i] = "
      "calloc(2, 50);"
      " keep[0] = realloc(0, 7); keep[0] = realloc(keep[0], 9); keep[1] = reallocarray(0, 3, 4); posix_memalign(keep, "
      "64, 640);"
      " keep[2] = aligned_alloc(64, 64); keep[3] = memalign(32, 33); keep[4] = valloc(1); keep[5] = pvalloc(5000); }");
  ASSERT_EQ(r.images.size(), 1U);
  EXPECT_EQ(r.images[0].malloc_calls, 10U);
  EXPECT_EQ(r.images[0].calloc_calls, 20U);
  EXPECT_EQ(r.images[0].realloc_calls, 3U);
  EXPECT_EQ(r.images[0].aligned_calls, 5U);
  EXPECT_EQ(r.images[0].bytes, 1000U + 2000U + 7U + 9U + 12U + 640U + 64U + 33U + 1U + 8192U);
  EXPECT_EQ(r.images[0].live_blocks, 10 + 20 + 2 + 5);
}

TEST_F(CounterTest, FailedCallsAreNone) {
  const CountedRun r = count(
      "int main() { void *p = malloc(10); volatile size_t big = PTRDIFF_MAX; malloc(big); calloc(big, 4); realloc(p, "
      "big);"
      " reallocarray(p, big, 8); posix_memalign(keep, 3, 8); }");
  EXPECT_EQ(r.images.at(0).calls, 1U);
  EXPECT_EQ(r.images.at(0).live_blocks, 1);
  EXPECT_EQ(r.images.at(0).live_bytes, 10);
  EXPECT_EQ(r.images.at(0).frees, 0U);
}

TEST_F(CounterTest, ReallocToZeroIsAFree) {
  const CountedRun r = count("int main() { void *p = malloc(10); realloc(p, 0); free(0); }");
  EXPECT_EQ(r.images.at(0).calls, 1U);
  EXPECT_EQ(r.images.at(0).frees, 1U);
  EXPECT_EQ(r.images.at(0).live_blocks, 0);
}

TEST_F(CounterTest, KeepsItsFiguresThroughSigkill) {
  const CountedRun r = count("int main() { for (int i = 0; i < 5000; i++) malloc(24); kill(getpid(), SIGKILL); }");
  EXPECT_EQ(r.finished.signal, SIGKILL);
  EXPECT_EQ(r.images.at(0).calls, 5000U);
  EXPECT_EQ(r.images.at(0).live_bytes, 5000 * 24);
}

TEST_F(CounterTest, ChildCountsForItselfAndInheritsApart) {
  const CountedRun r = count(
      "int main() { for (int i = 0; i < 100; i++) keep[i] = malloc(8); if (!fork()) { for (int i = 0; i < 60; i++) "
      "free(keep[i]);"
      " for (int i = 0; i < 7; i++) keep[i] = malloc(16); _exit(0); } wait(0); }");
  ASSERT_EQ(r.images.size(), 2U);
  EXPECT_EQ(r.images[0].calls, 100U);
  EXPECT_EQ(r.images[0].live_blocks, 100);
  EXPECT_EQ(r.images[1].ppid, r.images[0].pid);
  EXPECT_EQ(r.images[1].calls, 7U);
  EXPECT_EQ(r.images[1].live_blocks, 7);
  EXPECT_EQ(r.images[1].inherited_blocks, 40);
  EXPECT_EQ(r.images[1].inherited_bytes, 40 * 8);
}

TEST_F(CounterTest, VforkChildCountsForItsParent) {
  const CountedRun r = count("int main() { if (!vfork()) { keep[0] = malloc(8); _exit(0); } free(keep[0]); }");
  ASSERT_EQ(r.images.size(), 1U);
  EXPECT_EQ(r.images[0].calls, 1U);
  EXPECT_EQ(r.images[0].live_blocks, 0);
}

TEST_F(CounterTest, ThreadsThatFreeEachOthersBlocksBalance) {
  const CountedRun r = count(
      "void *_Atomic box; void *work(void *a) { for (int i = 0; i < 200000; i++) { void *p = malloc(16 + i % 64);"
      " free(__atomic_exchange_n((void **)&box, p, 5)); } return 0; }"
      "int main() { pthread_t t[4]; for (int i = 0; i < 4; i++) pthread_create(t + i, 0, work, 0);"
      " for (int i = 0; i < 4; i++) pthread_join(t[i], 0); free(box); }");
  EXPECT_EQ(r.images.at(0).malloc_calls, 800000U);
  EXPECT_EQ(r.images.at(0).frees, 800000U);
  EXPECT_EQ(r.images.at(0).overflows, 0U);
}

}  // namespace
}  // namespace memswell::tests
