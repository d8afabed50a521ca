#include "probes/smaps/status_parser.h"

#include <gtest/gtest.h>

#include "tests/unit/smaps/fixture.h"

namespace memswell::smaps {
namespace {

using test::fixture;
using test::with;

TEST(StatusParser, ReadsARealProcess) {
  const auto status = parse_status(fixture("sleep.status"));
  ASSERT_TRUE(status);
  EXPECT_EQ(status->name, "sleep");
  EXPECT_EQ(status->state, 'S');
  EXPECT_EQ(status->pid, status->tgid);
  EXPECT_EQ(status->threads, 1u);
  EXPECT_EQ(status->uids, (std::vector<std::uint32_t>{0, 0, 0, 0}));
  EXPECT_EQ(status->ns_pids, std::vector<std::int32_t>{status->pid});
  EXPECT_TRUE(status->has_memory);
  EXPECT_TRUE(status->complete);
}

TEST(StatusParser, PartsOfRssAddUp) {
  const auto status = parse_status(fixture("node.status"));
  ASSERT_TRUE(status);
  const auto& memory = status->memory;
  EXPECT_EQ(memory.rss_bytes, memory.rss_anon_bytes + memory.rss_file_bytes + memory.rss_shmem_bytes);
  EXPECT_GE(memory.high_water_mark_bytes, memory.rss_bytes);
  EXPECT_GE(memory.peak_size_bytes, memory.size_bytes);
  EXPECT_GT(memory.page_table_bytes, 0u);
}

TEST(StatusParser, ReadsEverySize) {
  const auto status = parse_status(
      "VmPeak:\t 1 kB\nVmSize:\t 2 kB\nVmLck:\t 3 kB\nVmHWM:\t 4 kB\nVmRSS:\t 5 kB\nRssAnon:\t 6 kB\nRssFile:\t 7 kB\n"
      "RssShmem:\t 8 kB\nVmData:\t 9 kB\nVmStk:\t 10 kB\nVmExe:\t 11 kB\nVmLib:\t 12 kB\nVmPTE:\t 13 kB\nVmSwap:\t 14 "
      "kB\n"
      "HugetlbPages:\t 15 kB\n");
  ASSERT_TRUE(status);
  const StatusMemory expected{1024,     2 * 1024,  3 * 1024,  4 * 1024,  5 * 1024,  6 * 1024,  7 * 1024, 8 * 1024,
                              9 * 1024, 10 * 1024, 11 * 1024, 12 * 1024, 13 * 1024, 14 * 1024, 15 * 1024};
  EXPECT_EQ(status->memory, expected);
}

TEST(StatusParser, AKernelThreadHasNoMemory) {
  const auto status = parse_status(fixture("kernel_thread.status"));
  ASSERT_TRUE(status);
  EXPECT_EQ(status->name, "kthreadd");
  EXPECT_FALSE(status->has_memory);
}

TEST(StatusParser, KnowsAZombie) {
  const auto status = parse_status(fixture("zombie.status"));
  ASSERT_TRUE(status);
  EXPECT_TRUE(status->is_zombie());
  EXPECT_FALSE(status->has_memory);
}

TEST(StatusParser, KeepsOddNames) {
  const auto odd = parse_status(fixture("parentheses.status"));
  ASSERT_TRUE(odd);
  EXPECT_EQ(odd->name, "a (b) c) 1 2");
  const auto escaped = parse_status("Name:\ta\\nb\\\\c: d\n");
  ASSERT_TRUE(escaped);
  EXPECT_EQ(escaped->name, "a\nb\\c: d");
}

TEST(StatusParser, ReadsPidsOfNestedNamespaces) {
  const auto status = parse_status("NSpid:\t4711\t17\t1\n");
  ASSERT_TRUE(status);
  EXPECT_EQ(status->ns_pids, (std::vector<std::int32_t>{4711, 17, 1}));
}

TEST(StatusParser, RefusesAnImpossibleValue) {
  const auto text = fixture("sleep.status");
  EXPECT_FALSE(parse_status(with(text, "Threads:\t1", "Threads:\tone")));
  EXPECT_FALSE(parse_status(with(text, "VmHWM:\t", "VmHWM:\t-")));
}

TEST(StatusParser, EveryPrefixHoldsOnlyWholeValues) {
  const auto text = fixture("sleep.status");
  const auto whole = parse_status(text);
  ASSERT_TRUE(whole);
  for (std::size_t length = 0; length < text.size(); ++length) {
    const auto prefix = parse_status(std::string_view(text).substr(0, length));
    ASSERT_TRUE(prefix) << length;
    ASSERT_FALSE(prefix->complete) << length;
    ASSERT_TRUE(prefix->pid == 0 || prefix->pid == whole->pid) << length;
    ASSERT_TRUE(prefix->memory.rss_bytes == 0 || prefix->memory.rss_bytes == whole->memory.rss_bytes) << length;
    ASSERT_TRUE(prefix->name.empty() || prefix->name == whole->name) << length;
  }
}

}  // namespace
}  // namespace memswell::smaps
