// Blocks made before main begins and after it ends are the program's like all others.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/e2e/harness.h"

namespace memswell::tests {
namespace {

using ::testing::IsEmpty;

TEST(BeforeMain, PreinitAndConstructorsAreRecorded) {
  const Recorded r = record_case("early");
  EXPECT_EQ(site(r, "preinit_site"), (Site{12, 840, 0, 0}));
  EXPECT_EQ(site(r, "constructor_site"), (Site{15, 1350, 0, 0}));
  EXPECT_EQ(site(r, "library_constructor_site"), (Site{25, 1200, 25, 1200}));
}

TEST(BeforeMain, CountsAgreeWithTheIndependentOnes) {
  EXPECT_THAT(count_differences(record_case("early", {}, {.counted = true})), IsEmpty());
}

TEST(AfterMain, HandlersAndDestructorsAreRecorded) {
  const Recorded r = record_case("late");
  EXPECT_EQ(r.run.exit_code, 31);
  EXPECT_EQ(site(r, "exit_handler_site"), (Site{45, 45 * 60, 0, 0}));
  EXPECT_EQ(site(r, "static_destructor_site"), (Site{55, 55 * 61, 0, 0}));
  EXPECT_EQ(site(r, "thread_local_destructor_site"), (Site{65, 65 * 62, 0, 0}));
}

TEST(AfterMain, DestructorOfALibraryThatEndsAfterOursIsRecorded) {
  EXPECT_EQ(site(record_case("late"), "library_destructor_site"), (Site{35, 35 * 90, 0, 0}));
}

TEST(AfterMain, CountsAgreeWithTheIndependentOnes) {
  EXPECT_THAT(count_differences(record_case("late", {}, {.counted = true})), IsEmpty());
}

}  // namespace
}  // namespace memswell::tests
