// Page maps of a child whose memory is in known states, by both facilities, held against the kernel's own count
// (smaps).
#include "probes/smaps/page_map.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdlib>

#include "probes/smaps/ability_trials.h"
#include "probes/smaps/pagemap_file.h"
#include "tests/unit/smaps/arena_child.h"

#ifndef MADV_GUARD_INSTALL
#define MADV_GUARD_INSTALL 102
#endif

namespace memswell::smaps {
namespace {

using test::Arena;
using test::ArenaChild;
using test::kHugePage;
using test::kPage;

struct View {
  std::vector<Mapping> mappings;
  PageMap pages;

  PageTotals at(const Arena& arena, std::size_t first, std::size_t count) const {
    return page_totals(pages.runs, arena.address(first), arena.address(first + count));
  }
};

class PageMapTest : public testing::TestWithParam<PageFacility> {
 protected:
  void SetUp() override {
    if (GetParam() == PageFacility::best && !page_scan_available()) GTEST_SKIP() << "no PAGEMAP_SCAN in this kernel";
  }

  static View view(const ArenaChild& child) {
    auto files = ProcessFiles::open(child.pid());
    ReadBuffer buffer;
    const auto text = (*files)->read("smaps", buffer);
    auto smaps = parse_smaps(**text);
    auto pages = read_page_map(**files, smaps->mappings, GetParam());
    EXPECT_TRUE(pages && *pages);
    return {std::move(smaps->mappings), std::move(**pages)};
  }

  // To the page, mapping by mapping. Only where zero pages and fork-shared pages are mixed may a bound remain.
  static void expect_equals_smaps(const View& view) {
    for (const auto& mapping : view.mappings) {
      if (!mapping.is_user_space()) continue;
      const auto totals = page_totals(view.pages.runs, mapping.begin, mapping.end);
      EXPECT_LE(totals.resident_bytes, mapping.rss_bytes) << mapping.name << std::hex << mapping.begin;
      const Bytes missed = mapping.bytes() > kLargestFullRead ? view.pages.missed_bytes : 0;
      EXPECT_GE(totals.resident_bytes + totals.ambiguous_bytes + missed, mapping.rss_bytes) << mapping.name;
      EXPECT_EQ(totals.swapped_bytes, mapping.swap_bytes) << mapping.name;
    }
  }
};

INSTANTIATE_TEST_SUITE_P(Facilities, PageMapTest, testing::Values(PageFacility::best, PageFacility::pagemap),
                         [](const auto& facility) {
                           return facility.param == PageFacility::best ? "PagemapScan" : "PagemapFile";
                         });

TEST_P(PageMapTest, TellsWhichFacilityItUsed) {
  ArenaChild child({[] {}});
  const auto expected = GetParam() == PageFacility::best ? PageSource::pagemap_scan : PageSource::pagemap;
  EXPECT_EQ(view(child).pages.source, expected);
}

TEST_P(PageMapTest, WrittenPagesAreResidentAndUntouchedOnesAreNot) {
  const Arena arena(64 * kPage);
  ArenaChild child({[&] { arena.write(8, 16); }});
  const auto seen = view(child);
  EXPECT_EQ(seen.at(arena, 0, 8).resident_bytes, 0u);
  EXPECT_EQ(seen.at(arena, 8, 16).resident_bytes, 16 * kPage);
  EXPECT_EQ(seen.at(arena, 24, 40).resident_bytes, 0u);
  expect_equals_smaps(seen);
}

TEST_P(PageMapTest, PagesThatWereOnlyReadAreTheZeroPage) {
  if (!reads_map_the_zero_page()) GTEST_SKIP() << "this kernel runs without the zero page";
  const Arena arena(64 * kPage);
  ArenaChild child({[&] {
    arena.read(0, 64);
    arena.write(10, 4);
  }});
  const auto seen = view(child);
  EXPECT_EQ(seen.at(arena, 0, 64).resident_bytes, 4 * kPage);
  EXPECT_EQ(seen.at(arena, 0, 64).zero_page_bytes, 60 * kPage);
  expect_equals_smaps(seen);
}

TEST_P(PageMapTest, PagesThatWereOnlyReadAreNotMissed) {
  const Arena arena(64 * kPage);
  ArenaChild child({[&] { arena.read(0, 64); }});
  const auto totals = view(child).at(arena, 0, 64);
  EXPECT_EQ(totals.resident_bytes + totals.zero_page_bytes, 64 * kPage);
}

TEST_P(PageMapTest, LazilyFreedPagesAreStillResident) {
  const Arena arena(32 * kPage);
  ArenaChild child({[&] {
    arena.write(0, 32);
    ::madvise(arena.page(8), 8 * kPage, MADV_FREE);
  }});
  const auto seen = view(child);
  EXPECT_EQ(seen.at(arena, 0, 32).resident_bytes, 32 * kPage);
  expect_equals_smaps(seen);
}

TEST_P(PageMapTest, PagesGivenBackAreGone) {
  const Arena arena(32 * kPage);
  ArenaChild child({[&] {
    arena.write(0, 32);
    ::madvise(arena.page(8), 8 * kPage, MADV_DONTNEED);
  }});
  const auto seen = view(child);
  EXPECT_EQ(seen.at(arena, 8, 8).resident_bytes, 0u);
  EXPECT_EQ(seen.at(arena, 0, 32).resident_bytes, 24 * kPage);
  expect_equals_smaps(seen);
}

TEST_P(PageMapTest, PagesWithoutAccessRightsStayResident) {
  const Arena arena(16 * kPage);
  ArenaChild child({[&] {
    arena.write(0, 16);
    ::mprotect(arena.page(4), 4 * kPage, PROT_NONE);
  }});
  const auto seen = view(child);
  EXPECT_EQ(seen.at(arena, 4, 4).resident_bytes, 4 * kPage);
  expect_equals_smaps(seen);
}

TEST_P(PageMapTest, GuardPagesAreNeitherResidentNorSwapped) {
  const Arena arena(16 * kPage);
  if (::madvise(arena.page(0), kPage, MADV_GUARD_INSTALL) != 0) GTEST_SKIP() << "no guard pages in this kernel";
  ArenaChild child({[&] {
    arena.write(4, 8);
    ::madvise(arena.page(6), 2 * kPage, MADV_GUARD_INSTALL);
  }});
  const auto seen = view(child);
  EXPECT_EQ(seen.at(arena, 0, 16).swapped_bytes, 0u);
  EXPECT_EQ(seen.at(arena, 0, 16).resident_bytes, 6 * kPage);
  expect_equals_smaps(seen);
}

TEST_P(PageMapTest, OneWriteIntoAHugePageMakesAllOfItResident) {
  const Arena arena(4 * kHugePage, kHugePage);
  ArenaChild child({[&] {
    ::madvise(arena.page(0), 4 * kHugePage, MADV_HUGEPAGE);
    arena.write(0, 1);
    arena.read(kHugePage / kPage, 1);
  }});
  const auto seen = view(child);
  const auto totals = page_totals(seen.pages.runs, arena.address(), arena.address() + kHugePage);
  if (totals.resident_bytes == kPage) GTEST_SKIP() << "huge pages are switched off, or none was free";
  EXPECT_EQ(totals.resident_bytes, kHugePage);
  if (GetParam() == PageFacility::best) {
    EXPECT_EQ(totals.huge_bytes, kHugePage);
  }
  expect_equals_smaps(seen);
}

TEST_P(PageMapTest, FilePagesCountWhenTouchedAndCopiesWhenWritten) {
  char name[] = "/tmp/memswell_pages_XXXXXX";
  const UniqueFd file(::mkstemp(name));
  ::unlink(name);
  ASSERT_EQ(::ftruncate(file.get(), 64 * kPage), 0);
  void* memory = ::mmap(nullptr, 64 * kPage, PROT_READ | PROT_WRITE, MAP_PRIVATE, file.get(), 0);
  ASSERT_NE(memory, MAP_FAILED);
  ::madvise(memory, 64 * kPage, MADV_RANDOM);  // no pages around the fault
  ArenaChild child({[&] {
    auto* bytes = static_cast<volatile char*>(memory);
    bytes[0] = 1;
    bytes[5 * kPage] = 1;
    static_cast<void>(bytes[9 * kPage]);
  }});
  const auto seen = view(child);
  const auto begin = reinterpret_cast<std::uintptr_t>(memory);
  const auto totals = page_totals(seen.pages.runs, begin, begin + 64 * kPage);
  EXPECT_GE(totals.resident_bytes, 3 * kPage);
  EXPECT_EQ(totals.zero_page_bytes, 0u);
  expect_equals_smaps(seen);
  ::munmap(memory, 64 * kPage);
}

TEST_P(PageMapTest, SharedAnonymousMemoryIsResident) {
  void* memory = ::mmap(nullptr, 32 * kPage, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(memory, MAP_FAILED);
  ArenaChild child({[&] {
    for (std::size_t i = 0; i < 8; ++i) static_cast<volatile char*>(memory)[i * kPage] = 1;
  }});
  const auto seen = view(child);
  const auto begin = reinterpret_cast<std::uintptr_t>(memory);
  EXPECT_EQ(page_totals(seen.pages.runs, begin, begin + 32 * kPage).resident_bytes, 8 * kPage);
  expect_equals_smaps(seen);
  ::munmap(memory, 32 * kPage);
}

TEST_P(PageMapTest, PagesSharedByForkAreResident) {
  const Arena arena(32 * kPage);
  arena.write(0, 32);
  ArenaChild child({[&] { arena.write(0, 8); }});
  const auto seen = view(child);
  EXPECT_EQ(seen.at(arena, 0, 32).resident_bytes, 32 * kPage);
  EXPECT_EQ(seen.at(arena, 0, 32).zero_page_bytes, 0u);
  expect_equals_smaps(seen);
}

TEST_P(PageMapTest, FindsMoreRunsThanFitIntoOneCall) {
  constexpr std::size_t kRuns = 5000;
  const Arena arena(2 * kRuns * kPage);
  ArenaChild child({[&] {
    ::madvise(arena.page(0), 2 * kRuns * kPage, MADV_NOHUGEPAGE);
    for (std::size_t i = 0; i < kRuns; ++i) arena.write(2 * i, 1);
  }});
  const auto seen = view(child);
  EXPECT_EQ(seen.at(arena, 0, 2 * kRuns).resident_bytes, kRuns * kPage);
  expect_equals_smaps(seen);
}

TEST_P(PageMapTest, RunsAreOrderedAndDoNotOverlap) {
  const Arena arena(64 * kPage);
  ArenaChild child({[&] { arena.write(3, 7); }});
  const auto seen = view(child);
  Address end = 0;
  for (const auto& run : seen.pages.runs) {
    EXPECT_LE(end, run.begin);
    EXPECT_LT(run.begin, run.end);
    end = run.end;
  }
  EXPECT_EQ(end >> 63, 0u);
}

TEST_P(PageMapTest, ReservedAddressSpaceCostsNothing) {
#ifdef __SANITIZE_THREAD__
  GTEST_SKIP() << "ThreadSanitizer leaves no terabyte of address space";
#endif
  const Arena reserved(std::size_t{1} << 40);
  ArenaChild child({[&] { reserved.write(100, 50); }});
  const auto seen = view(child);
  EXPECT_EQ(seen.at(reserved, 0, 1000).resident_bytes, 50 * kPage);
  EXPECT_EQ(seen.pages.unread_bytes > 0, GetParam() == PageFacility::pagemap);
  expect_equals_smaps(seen);
}

TEST_P(PageMapTest, AnEndedProcessIsGone) {
  ArenaChild child({[] {}});
  const auto seen = view(child);
  const auto files = ProcessFiles::open(child.pid());
  ASSERT_TRUE(files && *files);
  child.kill_and_collect();
  const auto pages = read_page_map(**files, seen.mappings, GetParam());
  ASSERT_TRUE(pages);
  EXPECT_FALSE(*pages);
}

TEST(WriteTracking, TellsThePagesWrittenSinceTheLastReset) {
  if (!page_scan_available() || why_no_async_write_protection()) GTEST_SKIP() << "no asynchronous write protection";
  const Arena arena(64 * kPage);
  ArenaChild child({[&] {
                      arena.write(0, 64);
                      test::track_writes(arena.page(0), 64 * kPage);
                    },
                    [&] { arena.write(5, 3); }});
  const auto files = ProcessFiles::open(child.pid());
  const auto forgotten = forget_writes(**files);
  ASSERT_TRUE(forgotten && *forgotten);
  const auto written = [&] {
    const auto runs = scan_pages(**files, {.written = true});
    Bytes bytes = 0;
    for (const auto& run : **runs) {
      const bool inside = run.begin >= arena.address() && run.end <= arena.address(64);
      if (inside && has(run.bits, PageBit::written)) bytes += run.bytes();
    }
    return bytes;
  };
  EXPECT_EQ(written(), 0u);
  child.next_step();
  EXPECT_EQ(written(), 3 * kPage);
}

TEST(PageMapChoice, TheEnvironmentSwitchesPagemapScanOff) {
  ::setenv("MEMSWELL_NO_PAGEMAP_SCAN", "1", 1);
  EXPECT_EQ(page_source(), PageSource::pagemap);
  ::unsetenv("MEMSWELL_NO_PAGEMAP_SCAN");
  EXPECT_EQ(page_source(), page_scan_available() ? PageSource::pagemap_scan : PageSource::pagemap);
}

// What pagemap alone cannot know, and says so.
TEST(PageMapChoice, PagemapLeavesAMixOfZeroAndForkSharedPagesMarked) {
  if (!reads_map_the_zero_page()) GTEST_SKIP() << "this kernel runs without the zero page";
  const Arena arena(32 * kPage);
  arena.write(0, 8);
  ArenaChild child({[&] { arena.read(8, 8); }});
  const auto files = ProcessFiles::open(child.pid());
  ReadBuffer buffer;
  const auto text = (*files)->read("smaps", buffer);
  const auto smaps = parse_smaps(**text);
  const auto pages = read_page_map(**files, smaps->mappings, PageFacility::pagemap);
  ASSERT_TRUE(pages && *pages);
  EXPECT_EQ(page_totals((*pages)->runs, arena.address(), arena.address(32)).ambiguous_bytes, 16 * kPage);
}

}  // namespace
}  // namespace memswell::smaps
