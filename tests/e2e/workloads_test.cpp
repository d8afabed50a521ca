// Each built-in workload knows its own truth. Recorded, memswell must say the same: exactly for calls, bytes and live
// blocks of every phase, within 1 % for resident pages, where the program is read once more without memswell.
#include <gtest/gtest-spi.h>
#include <gtest/gtest.h>

#include "tests/e2e/workload_truth.h"

namespace memswell::tests {
namespace {

using nlohmann::json;

constexpr double kMiB = 1024 * 1024;

double owner_bytes(const json& process, const std::string& at, const std::string& owner) {
  for (const json& row : snapshot_at(process, at).at("rows")) {
    if (row.at("owner") == owner) return number(row, "bytes");
  }
  throw std::runtime_error("no row " + owner + " at " + at);
}

struct Case {
  const char* program;
  const char* arguments;
};

void PrintTo(const Case& c, std::ostream* out) { *out << c.program << ' ' << c.arguments; }

class Workload : public testing::TestWithParam<Case> {};

TEST_P(Workload, IsToldAsItIs) {
  const Told told = tell(GetParam().program, GetParam().arguments);
  expect_same_counts(told);
  expect_same_pages(told);
  expect_ledgers_add_up(told.process);
}

constexpr Case kCases[] = {
    {"calloc-lazy", "variant=malloc-memset"},
    {"calloc-lazy", "variant=calloc"},
    {"calloc-lazy", "variant=calloc-read"},
    {"calloc-lazy", "variant=calloc-write"},
    {"calloc-lazy", "variant=calloc-write-half"},
    {"calloc-lazy", "variant=calloc-write-all"},
    {"calloc-lazy", "variant=calloc-thp"},
    {"calloc-trap", ""},
    {"calloc-trap", "pin_threshold=1"},
    {"calloc-trap", "size=50MiB"},
    {"calloc-bench", "most=1000000 method=malloc-memset"},
    {"calloc-bench", "most=1000000 method=calloc"},
    {"calloc-bench", "most=1000000 method=malloc-memset recycle=1"},
    {"calloc-bench", "most=1000000 method=malloc-memset access=write"},
    {"calloc-bench", "most=1000000 method=calloc access=write"},
    {"calloc-bench", "most=1000000 method=malloc-memset access=read"},
    {"calloc-bench", "most=1000000 method=calloc access=read"},
    {"calloc-bench", "most=10000000 method=calloc recycle=1"},
    {"buffer-tail", "fill=none"},
    {"buffer-tail", "fill=memset"},
    {"buffer-tail", "fill=calloc size=20MiB"},
    {"freelist-pulse", "items=200000 passes=2 alloc=block"},
    {"freelist-pulse", "items=200000 passes=2 alloc=block annotate=1"},
    {"freelist-pulse", "items=200000 passes=2 alloc=block kind=float survivor=1 compact=1 trim=1"},
    {"freelist-pulse", "items=200000 passes=2 alloc=pymalloc"},
    {"freelist-pulse", "items=200000 passes=2 alloc=array limit=80"},
    {"freelist-pulse", "items=200000 passes=2 alloc=lifo"},
    {"freelist-pulse", "items=200000 passes=2 alloc=array limit=400000"},
    {"freelist-pulse", "items=200000 passes=2 alloc=pymalloc survivor=1"},
    {"freelist-pulse", "items=200000 passes=2 alloc=block survivor=1 compact=1"},
    {"freelist-pulse", "items=200000 passes=2 alloc=block heap=default"},
    {"freelist-pulse", "items=200000 passes=2 alloc=pymalloc kind=float"},
    {"freelist-pulse", "items=500 passes=20 alloc=block"},
    {"freelist-pulse", "items=500 passes=20 alloc=pymalloc"},
    {"freelist-pulse", "items=500 passes=20 alloc=malloc"},
    {"freelist-pulse", "items=200000 passes=2 alloc=malloc"},
    {"append", "strings=100 policy=exact order=i"},
    {"append", "strings=200 policy=exact order=i"},
    {"append", "strings=200 policy=exact order=_"},
    {"append", "strings=200 policy=plus25 order=_"},
    {"append", "strings=200 policy=plus25 order=i"},
    {"append", "strings=200 policy=pow2 order=i"},
    {"append", "strings=200 policy=pow2 order=_"},
    {"append", "strings=200 alloc=bucket order=i"},
    {"append", "strings=200 alloc=bucket policy=plus25 order=i"},
    {"append", "strings=200 alloc=bucket policy=plus25 order=_"},
    {"append", "strings=200 alloc=bucket order=_"},
    {"append-single", "rows=8 policy=exact"},
    {"append-single", "rows=8 policy=plus25"},
    {"append-single", "rows=8 policy=pow2"},
    {"frag-pin", "blocks=50000 survivor=4"},
    {"frag-pin", "blocks=50000 survivor=64"},
    {"frag-pin", "blocks=50000 survivor=last"},
    {"fastbin-retention", "blocks=500000"},
    {"mmap-file", "size=20MiB"},
    {"stack", ""},
    {"madv-free", "size=20MiB"},
};

std::string case_name(const testing::TestParamInfo<Case>& info) {
  std::string name = std::string(info.param.program) + "_" + info.param.arguments;
  for (char& c : name) {
    if (std::isalnum(static_cast<unsigned char>(c)) == 0) c = '_';
  }
  return name + "_" + std::to_string(info.index);
}

INSTANTIATE_TEST_SUITE_P(All, Workload, testing::ValuesIn(kCases), case_name);

// --------------------------------------------- programs whose libraries allocate too: by site, or by growth

class VectorGrowth : public testing::TestWithParam<const char*> {};

TEST_P(VectorGrowth, IsToldAsItIs) {
  const Told told = tell("vector-growth", std::string("items=1000000 variant=") + GetParam());
  const json& base = named(told.process.at("phases"), "base");
  for (const json& truth : told.recorded.at("phases")) {
    const json& phase = named(told.process.at("phases"), truth.at("name"));
    EXPECT_EQ(phase.at("calls"), truth.at("calls")) << truth.at("name");
    EXPECT_EQ(number(phase, "end_live_bytes") - number(base, "end_live_bytes"), number(truth, "live_bytes"));
    EXPECT_EQ(number(phase, "peak_live_bytes") - number(base, "end_live_bytes"), number(truth, "peak_live_bytes"));
  }
  expect_same_pages(told);
}

INSTANTIATE_TEST_SUITE_P(Variants, VectorGrowth, testing::Values("push_back", "reserve", "realloc", "brk"));

// The comparisons themselves: a truth that is otherwise by one call, one byte, or a few pages more than 1 % is found out.
void one_call_more(Told& told) { told.recorded.at("phases").at(1)["calls"] = number(told.recorded.at("phases").at(1), "calls") + 1; }
void one_byte_more(Told& told) { told.recorded["live_bytes"] = number(told.recorded, "live_bytes") + 1; }
void more_pages(Told& told) {
  json& dirty = told.alone.at("phases").at(1)["private_dirty_bytes"];
  dirty = dirty.get<double>() * 1.02 + 32 * 4096;
}
const Told& told_once() {
  static const Told told = tell("calloc-lazy", "variant=calloc-write-all");
  return told;
}
void compare_with(void (*change)(Told&)) {
  Told told = told_once();
  change(told);
  expect_same_counts(told);
  expect_same_pages(told);
}

TEST(Comparison, FindsOneCallTooMany) { EXPECT_NONFATAL_FAILURE(compare_with(one_call_more), "calls"); }
TEST(Comparison, FindsOneByteTooMany) { EXPECT_NONFATAL_FAILURE(compare_with(one_byte_more), "live_bytes_at_exit"); }
TEST(Comparison, FindsPagesBeyondOnePercent) { EXPECT_NONFATAL_FAILURE(compare_with(more_pages), "alloc"); }

TEST(Workloads, ThreadArenasAreToldAsTheyAre) {
  for (const char* arenas : {"arenas=0", "arenas=1"}) {
    const Told told = tell("thread-arenas", std::string("blocks=4096 ") + arenas);
    const Site hold = site(told.process, "hold");
    EXPECT_EQ(hold.calls, 8U * 4096) << arenas;
    EXPECT_EQ(hold.bytes, 8U * 4096 * 1000) << arenas;
    EXPECT_EQ(hold.live_blocks, 0U) << arenas;
    const json& phase = named(told.process.at("phases"), "hold");
    EXPECT_EQ(number(phase, "end_live_bytes") - number(phase, "begin_live_bytes"), 8 * 4096 * 1000) << arenas;
  }
}

TEST(Workloads, AForkedChildIsAProcessOfItsOwn) {
  const Recorded recorded = record(command_line("fork-cow", "size=20MiB"));
  const json truth = json::parse(recorded.run.out);
  const json facts = named(truth.at("phases"), "fork").at("facts");
  std::vector<json> children;
  for (const json& each : processes(recorded)) {
    if (each.at("start") == "fork") children.push_back(each);
  }
  ASSERT_EQ(children.size(), 1U);
  const double wrote = number(facts, "child_wrote_private_dirty_bytes");
  EXPECT_NEAR(number(children[0].at("totals"), "peak_private_dirty_bytes"), wrote, 0.01 * wrote + 16 * 4096);
}

// ------------------------------------------------------------------------------------------------- the shapes

double peak(const Told& told, const std::string& phase) {
  return number(named(told.process.at("phases"), phase), "peak_rss_bytes");
}

TEST(Shapes, AFreeListMakesTheSecondPassPeakAboveTheFirst) {
  const Told told = tell("freelist-pulse", "items=500000 passes=3 alloc=block");
  EXPECT_GT(peak(told, "fill-2"), 1.3 * peak(told, "fill-1"));
  EXPECT_NEAR(peak(told, "fill-3"), peak(told, "fill-2"), 0.01 * peak(told, "fill-2"));
}

TEST(Shapes, APoolThatReturnsItsArenasDoesNot) {
  const Told told = tell("freelist-pulse", "items=500000 passes=3 alloc=pymalloc");
  EXPECT_NEAR(peak(told, "fill-2"), peak(told, "fill-1"), 0.02 * peak(told, "fill-1"));
}

TEST(Shapes, WhatTheFreeListHoldsIsARowOfTheLedger) {
  const Told told = tell("freelist-pulse", "items=200000 passes=2 annotate=1");
  const double objects = 400'000 * 24.0;
  EXPECT_NEAR(owner_bytes(told.process, "phase fill-2", "pool_idle"), objects, 0.01 * objects);
  EXPECT_LT(owner_bytes(told.process, "phase drop-2", "pool_idle"), 0.01 * objects);
}

TEST(Shapes, SpareTailsAreToldAsOverallocated) {
  const Told told = tell("buffer-tail", "fill=none");
  const json& facts = named(told.recorded.at("phases"), "append").at("facts");
  EXPECT_EQ(snapshot_at(told.process, "phase free").at("beside").at("overallocated_bytes"), facts.at("overallocated_bytes"));
}

TEST(Shapes, MovedReallocsAreCounted) {
  const Told told = tell("append", "strings=200 policy=exact order=_");
  const json& facts = named(told.recorded.at("phases"), "append").at("facts");
  EXPECT_EQ(told.process.at("totals").at("reallocs_moved"), facts.at("moved"));
}

TEST(Shapes, ABlockThatNobodyTouchedIsBesideTheSum) {
  const Told told = tell("calloc-lazy", "variant=calloc");
  EXPECT_LT(owner_bytes(told.process, "phase touch", "heap_live"), 1 * kMiB);
}

}  // namespace
}  // namespace memswell::tests
