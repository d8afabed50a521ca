#include "base/result.h"

#include <gtest/gtest.h>

#include <memory>

namespace memswell {
namespace {

TEST(Result, HoldsAValueThatCannotBeCopied) {
  Result<std::unique_ptr<int>> result(std::make_unique<int>(7));
  ASSERT_TRUE(result);
  EXPECT_EQ(*std::move(result).value(), 7);
}

TEST(Result, HoldsAnErrorWithItsExitCode) {
  const Result<int> result(Error{"no such file", ExitCode::unreadable_recording});
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().sentence, "no such file");
  EXPECT_EQ(result.error().exit_code, ExitCode::unreadable_recording);
}

TEST(Result, OfNothingIsGoodUnlessItHoldsAnError) {
  EXPECT_TRUE(Result<void>());
  EXPECT_FALSE(Result<void>(Error{"disk full"}));
}

}  // namespace
}  // namespace memswell
