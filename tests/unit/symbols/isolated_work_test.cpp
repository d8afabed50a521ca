#include "symbols/isolated_work.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <cstdlib>
#include <stdexcept>

namespace memswell::symbols {
namespace {

TEST(IsolatedWork, HandsBackBytesInOrder) {
  const auto results = run_isolated(
      {[] { return std::string("first"); }, [] { return std::string(1 << 20, 'x'); }, [] { return std::string(); }},
      {});
  ASSERT_EQ(results.size(), 3u);
  EXPECT_EQ(*results[0], "first");
  EXPECT_EQ(results[1]->size(), 1u << 20);
  EXPECT_EQ(*results[2], "");
}

TEST(IsolatedWork, RunsEachInAProcessOfItsOwn) {
  const auto results = run_isolated({[] { return std::to_string(getpid()); }}, {.at_once = 1});
  EXPECT_NE(*results[0], std::to_string(getpid()));
}

TEST(IsolatedWork, SaysThatAChildCrashed) {
  const auto results = run_isolated({[]() -> std::string {
                                       signal(SIGABRT, SIG_DFL);
                                       std::abort();
                                     },
                                     [] { return std::string("unharmed"); }},
                                    {});
  ASSERT_FALSE(results[0]);
  EXPECT_EQ(results[0].error().sentence, "reading it crashed (Aborted)");
  EXPECT_EQ(*results[1], "unharmed");
}

TEST(IsolatedWork, SaysThatAChildRanOutOfMemory) {
  const auto results = run_isolated({[]() -> std::string { throw std::bad_alloc(); }}, {});
  ASSERT_FALSE(results[0]);
  EXPECT_EQ(results[0].error().sentence, "reading it ran out of memory");
}

TEST(IsolatedWork, StopsWhatTakesTooLong) {
  const auto results = run_isolated({[]() -> std::string {
                                      pause();
                                      return {};
                                    }},
                                    {.wall = std::chrono::seconds(0)});
  ASSERT_FALSE(results[0]);
  EXPECT_EQ(results[0].error().sentence, "reading it took too long");
}

TEST(IsolatedWork, StopsWhatGivesTooMuch) {
  const auto results = run_isolated({[] { return std::string(1 << 20, 'x'); }}, {.result_bytes = 1000});
  ASSERT_FALSE(results[0]);
  EXPECT_EQ(results[0].error().sentence, "reading it gave more than can be true");
}

TEST(IsolatedWork, DoesNothingForNothing) { EXPECT_TRUE(run_isolated({}, {}).empty()); }

}  // namespace
}  // namespace memswell::symbols
