// Each member of the malloc family and each form of operator new is one call; what fails is none.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/e2e/harness.h"

namespace memswell::tests {
namespace {

using ::testing::IsEmpty;
using ::testing::StartsWith;

Site freed(std::uint64_t calls, std::uint64_t bytes_each) { return {calls, calls * bytes_each, 0, 0}; }

class Family : public ::testing::Test {
 protected:
  static const Recorded& recorded() {
    static const Recorded r = record_case("family", {}, {.counted = true});
    return r;
  }
};

TEST_F(Family, CountsAgreeWithTheIndependentOnes) { EXPECT_THAT(count_differences(recorded()), IsEmpty()); }
TEST_F(Family, Malloc) { EXPECT_EQ(site(recorded(), "malloc_site"), freed(50, 10)); }
TEST_F(Family, Calloc) { EXPECT_EQ(site(recorded(), "calloc_site"), freed(50, 20)); }
TEST_F(Family, ReallocIsACallOnEachSide) { EXPECT_EQ(site(recorded(), "realloc_site"), freed(100, 150)); }
TEST_F(Family, Reallocarray) { EXPECT_EQ(site(recorded(), "reallocarray_site"), freed(50, 42)); }
TEST_F(Family, PosixMemalign) { EXPECT_EQ(site(recorded(), "posix_memalign_site"), freed(50, 300)); }
TEST_F(Family, AlignedAlloc) { EXPECT_EQ(site(recorded(), "aligned_alloc_site"), freed(50, 640)); }
TEST_F(Family, Memalign) { EXPECT_EQ(site(recorded(), "memalign_site"), freed(50, 50)); }
TEST_F(Family, Valloc) { EXPECT_EQ(site(recorded(), "valloc_site"), freed(50, 77)); }
TEST_F(Family, PvallocAsksForWholePages) { EXPECT_EQ(site(recorded(), "pvalloc_site"), freed(50, 8192)); }
TEST_F(Family, CallsInsideTheCLibraryBelongToTheCaller) { EXPECT_EQ(site(recorded(), "strdup_site"), freed(50, 13)); }
TEST_F(Family, WholeUsableSizeBelongsToTheProgram) { EXPECT_EQ(site(recorded(), "usable_site"), freed(50, 13)); }

class Corners : public ::testing::Test {
 protected:
  static const Recorded& recorded() {
    static const Recorded r = record_case("corners", {}, {.counted = true});
    return r;
  }
};

TEST_F(Corners, CountsAgreeWithTheIndependentOnes) { EXPECT_THAT(count_differences(recorded()), IsEmpty()); }
TEST_F(Corners, ErrnoStaysAsItWas) { EXPECT_EQ(recorded().run.out, "errno kept\n"); }
TEST_F(Corners, BlocksOfNoBytesAreCalls) { EXPECT_EQ(site(recorded(), "zero_sized_site"), freed(80, 0)); }
TEST_F(Corners, ReallocToZeroIsAFree) { EXPECT_EQ(site(recorded(), "realloc_to_zero_site"), freed(40, 16)); }
TEST_F(Corners, FailedCallsAreNone) { EXPECT_EQ(site(recorded(), "failing_site"), freed(40, 32)); }
TEST_F(Corners, ReallocEndsTheOldBlock) { EXPECT_EQ(site(recorded(), "growing_site"), (Site{80, 8 * 5500, 8, 8000})); }
TEST_F(Corners, ReallocThatMovesAMappingEndsTheOldBlock) {
  EXPECT_EQ(site(recorded(), "moving_site"), (Site{41, 41 * 200000 + 100000 * 820, 0, 0}));
}

class Operators : public ::testing::Test {
 protected:
  static const Recorded& recorded() {
    static const Recorded r = record_case("operators", {}, {.counted = true});
    return r;
  }
};

TEST_F(Operators, CountsAgreeWithTheIndependentOnes) { EXPECT_THAT(count_differences(recorded()), IsEmpty()); }
TEST_F(Operators, New) { EXPECT_EQ(site(recorded(), "plain_site"), freed(30, 8)); }
TEST_F(Operators, NewArray) { EXPECT_EQ(site(recorded(), "array_site"), freed(30, 100)); }
TEST_F(Operators, NewNothrow) { EXPECT_EQ(site(recorded(), "nothrow_site"), freed(30, 8)); }
TEST_F(Operators, NewNothrowArray) { EXPECT_EQ(site(recorded(), "nothrow_array_site"), freed(30, 101)); }
TEST_F(Operators, NewAligned) { EXPECT_EQ(site(recorded(), "aligned_site"), freed(30, 192)); }
TEST_F(Operators, NewAlignedArray) { EXPECT_EQ(site(recorded(), "aligned_array_site"), freed(30, 384)); }
TEST_F(Operators, NewOfAClass) {
  EXPECT_EQ(site(recorded(), "own_new_site").calls + site(recorded(), "new").calls, 30U);
}
TEST_F(Operators, DirectCall) { EXPECT_EQ(site(recorded(), "direct_site"), freed(30, 103)); }
TEST_F(Operators, ContainersBelongToTheirUser) { EXPECT_EQ(site(recorded(), "container_site"), freed(30, 104)); }
// The C++ library throws and catches inside its nothrow form: the exception objects are blocks, the requests are not.
TEST_F(Operators, FailedNewIsNoCall) {
  EXPECT_EQ(site(recorded(), "failing_site").calls, 30U);
  EXPECT_LT(site(recorded(), "failing_site").bytes, 30U * 1024U);
}

// Whoever stands in front of malloc: the program's calls are counted once, and the program runs as it would alone.
class InFrontOfMalloc : public ::testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    options_.environment["LD_PRELOAD"] = case_path(std::string("lib") + GetParam() + ".so");
    recorded_ = record_case("passed_on", {}, options_);
    told_ = process(recorded_, "passed_on");
  }

  RecordOptions options_;
  Recorded recorded_;
  nlohmann::json told_;
};

TEST_P(InFrontOfMalloc, CallsAreCountedOnce) {
  EXPECT_EQ(recorded_.run.out, "passed on\n");
  EXPECT_EQ(site(recorded_, "malloc_site"), (Site{200, 200 * 500, 1, 500}));
  EXPECT_EQ(site(recorded_, "calloc_site"), freed(200, 120));
  EXPECT_EQ(site(recorded_, "realloc_site"), (Site{400, 200 * 3100, 0, 0}));
  EXPECT_EQ(site(recorded_, "new_site"), freed(200, 60));
  EXPECT_EQ(site(recorded_, "new_array_site"), freed(200, 70));
  EXPECT_EQ(told_.at("totals").at("replaced"), 0);
  EXPECT_EQ(told_.at("totals").at("unmatched_frees"), 0);
}

TEST_P(InFrontOfMalloc, TheAllocatorIsTheOneThatKeepsTheBlocks) {
  const std::string allocator = told_.at("allocator");
  if (std::string(GetParam()) == "counts") {
    EXPECT_THAT(allocator, StartsWith("glibc "));
    EXPECT_THAT(allocator, ::testing::HasSubstr("libcounts.so"));
    EXPECT_EQ(told_.at("snapshots").back().at("heap_exact"), true);
  } else {
    EXPECT_EQ(allocator, std::string("lib") + GetParam() + ".so");
  }
}

INSTANTIATE_TEST_SUITE_P(Libraries, InFrontOfMalloc, ::testing::Values("counts", "shifts", "blocks_on_pages"));

}  // namespace
}  // namespace memswell::tests
