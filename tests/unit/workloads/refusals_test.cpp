// What a workload cannot do it refuses before it begins: status 2, no figures, and one sentence that names the program, the
// argument and what to give instead.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "workloads/catalogue.h"
#include "workloads/native_run.h"

namespace memswell::workloads {
namespace {

struct Refused {
  const char* program;
  const char* argument;
};

void PrintTo(const Refused& refused, std::ostream* out) { *out << refused.program << ' ' << refused.argument; }

Ending run(const std::string& program, const std::string& arguments) {
  std::vector<std::string> command{std::string(MEMSWELL_WORKLOADS) + "/" + program};
  for (std::string& word : words(arguments)) command.push_back(std::move(word));
  const auto ending = run_to_end(command, {}, Errors::kept);
  EXPECT_TRUE(ending);
  return ending ? *ending : Ending{};
}

class Refusals : public testing::TestWithParam<Refused> {};

TEST_P(Refusals, AreOneSentenceAndStatus2) {
  const auto& [program, argument] = GetParam();
  const Ending ending = run(program, argument);
  EXPECT_EQ(ending.exit_code, 2) << "signal " << ending.signal;
  EXPECT_EQ(ending.output, "");
  EXPECT_THAT(ending.errors, testing::StartsWith(std::string(program) + ": " + argument + " cannot be: give "));
  EXPECT_EQ(ending.errors.find('\n'), ending.errors.size() - 1);
}

constexpr Refused kRefused[] = {
    {"calloc-lazy", "size=-5"},        {"calloc-lazy", "size=0"},         {"calloc-lazy", "size="},
    {"calloc-lazy", "size=1e6"},       {"calloc-lazy", "size=+5MiB"},     {"calloc-lazy", "size=5MiBs"},
    {"calloc-lazy", "size=MiB"},       {"calloc-lazy", "size=0x10000"},   {"calloc-lazy", "size=99999999999999999999"},
    {"calloc-lazy", "size=16777216T"}, {"calloc-lazy", "pages=-1"},       {"calloc-lazy", "variant="},
    {"calloc-lazy", "variant=lazy"},   {"calloc-trap", "size=0"},         {"calloc-trap", "calls=0"},
    {"calloc-trap", "calls=1001"},     {"calloc-trap", "pin_threshold=2"}, {"calloc-bench", "most=9"},
    {"calloc-bench", "loops=1"},       {"buffer-tail", "size=0"},         {"freelist-pulse", "items=0"},
    {"freelist-pulse", "passes=0"},    {"freelist-pulse", "passes=1001"}, {"freelist-pulse", "limit=1"},
    {"freelist-pulse", "alloc=mallo"}, {"append", "strings=-5"},          {"append", "strings=0"},
    {"append", "appends=0"},           {"append", "bytes=4097"},          {"append", "order=j"},
    {"append-single", "rows=0"},       {"append-single", "rows=1001"},    {"frag-pin", "blocks=0"},
    {"frag-pin", "size=0"},            {"frag-pin", "survivor=5"},        {"vector-growth", "items=0"},
    {"fastbin-retention", "blocks=0"}, {"fastbin-retention", "size=0"},   {"thread-arenas", "threads=0"},
    {"thread-arenas", "blocks=1"},     {"thread-arenas", "size=0"},       {"thread-arenas", "arenas=-1"},
    {"fork-cow", "size=0"},            {"mmap-file", "size=1"},           {"mmap-file", "size=-5"},
    {"stack", "frames=0"},             {"stack", "frames=100000000"},     {"madv-free", "size=0"},
};

INSTANTIATE_TEST_SUITE_P(Workloads, Refusals, testing::ValuesIn(kRefused));

TEST(Options, TheLeastOfEveryRangeRuns) {
  for (const char* line : {"calloc-lazy size=8192 variant=calloc-write pages=1000", "calloc-lazy size=8192 variant=calloc-thp",
                           "calloc-trap size=1 calls=1", "calloc-bench most=10 loops=2", "buffer-tail size=4096",
                           "freelist-pulse items=1 passes=1 alloc=lifo limit=2", "freelist-pulse items=1 passes=1 survivor=1 compact=1",
                           "append strings=1 appends=1 bytes=1 order=_", "append strings=1 appends=1 bytes=4096 alloc=bucket",
                           "frag-pin blocks=1 size=1", "vector-growth items=1", "fastbin-retention blocks=1 size=1",
                           "thread-arenas threads=1 blocks=2 size=1", "fork-cow size=8192", "mmap-file size=1MiB", "stack frames=1",
                           "madv-free size=8192"}) {
    const std::string whole = line;
    const std::size_t space = whole.find(' ');
    const Ending ending = run(whole.substr(0, space), whole.substr(space));
    EXPECT_EQ(ending.exit_code, 0) << line << ending.errors;
    EXPECT_TRUE(parse_truth(ending.output)) << line;
  }
}

TEST(Options, AThousandPassesHavePhasesOfTheirOwn) {
  const Ending ending = run("freelist-pulse", "items=1 passes=1000 compact=1 trim=1");
  const auto truth = parse_truth(ending.output);
  ASSERT_TRUE(truth) << ending.errors;
  EXPECT_EQ(truth->phases.size(), 4002U);
}

TEST(Options, UnitsArePowersOf1024) {
  for (const char* size : {"8192K", "8192kb", "8192KiB", "8M", "8MB", "8mib", "8388608"}) {
    const auto truth = parse_truth(run("calloc-lazy", std::string("size=") + size).output);
    ASSERT_TRUE(truth) << size;
    EXPECT_EQ(truth->figure("", "requested_bytes"), 8 << 20) << size;
  }
}

TEST(Options, WhatIsNotKnownIsSaidWithWhatIs) {
  const Ending ending = run("stack", "depth=3");
  EXPECT_EQ(ending.exit_code, 2);
  EXPECT_EQ(ending.errors, "stack: depth=3 is no option of it; known: frames=<a number>\n");
}

TEST(Options, WhatTheMachineCannotGiveIsSaid) {
  const Ending ending = run("calloc-lazy", "variant=malloc-memset size=1T");
  EXPECT_EQ(ending.exit_code, 2);
  EXPECT_EQ(ending.errors, "calloc-lazy: there is no room for 1099511627776 bytes (malloc); give smaller numbers\n");
}

TEST(Options, AFolderThatIsNotThereIsNamed) {
  const Ending ending = run("mmap-file", "directory=/no/such");
  EXPECT_EQ(ending.exit_code, 2);
  EXPECT_THAT(ending.errors, testing::HasSubstr("in /no/such: No such file or directory; give another directory"));
}

}  // namespace
}  // namespace memswell::workloads
