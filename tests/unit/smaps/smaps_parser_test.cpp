#include "probes/smaps/smaps_parser.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "tests/unit/smaps/fixture.h"

namespace memswell::smaps {
namespace {

using test::fixture;
using test::with;

constexpr std::string_view kOne =
    "7f01c2a00000-7f01c2a21000 rw-p 00002000 fe:0b 247134                     /usr/lib/libc.so.6\n"
    "Size:                132 kB\nKernelPageSize:        4 kB\nMMUPageSize:           4 kB\nRss:                  96 "
    "kB\n"
    "Private_Dirty:        92 kB\nTHPeligible:           1\nVmFlags: rd wr mr mw me ac \n";

const Mapping* find_named(const SmapsText& smaps, std::string_view end_of_name) {
  const auto found =
      std::ranges::find_if(smaps.mappings, [&](const Mapping& m) { return m.name.ends_with(end_of_name); });
  return found == smaps.mappings.end() ? nullptr : &*found;
}

// The first eight mappings of a real text: as nasty as all of it, and every prefix of it is soon tried.
std::string first_mappings(const std::string& text) {
  std::size_t end = 0;
  for (int i = 0; i < 8; ++i) end = text.find('\n', text.find("VmFlags:", end)) + 1;
  return text.substr(0, end);
}

const MappingRange& range_of(const Mapping& mapping) { return mapping; }

void expect_maps_agree(const std::string& program) {
  const auto smaps = parse_smaps(fixture(program + ".smaps"));
  const auto maps = parse_maps(fixture(program + ".maps"));
  ASSERT_TRUE(smaps && maps);
  ASSERT_TRUE(smaps->complete && maps->complete);
  ASSERT_TRUE(std::ranges::equal(smaps->mappings, maps->ranges, {}, range_of));
}

// The kernel rounds Pss of each mapping down to kB, of the rollup once: 1 kB a mapping may be missing.
void expect_total_is_rollup(const std::string& program) {
  const auto smaps = parse_smaps(fixture(program + ".smaps"));
  const auto rollup = parse_smaps_rollup(fixture(program + ".smaps_rollup"));
  ASSERT_TRUE(smaps && rollup);
  const auto sum = total(smaps->mappings);
  EXPECT_EQ(sum.rss_bytes, rollup->rss_bytes);
  EXPECT_EQ(sum.private_dirty_bytes, rollup->private_dirty_bytes);
  EXPECT_EQ(sum.shared_clean_bytes, rollup->shared_clean_bytes);
  EXPECT_EQ(sum.anonymous_bytes, rollup->anonymous_bytes);
  EXPECT_LE(sum.pss_bytes, rollup->pss_bytes);
  EXPECT_GE(sum.pss_bytes + 1024 * smaps->mappings.size(), rollup->pss_bytes);
}

TEST(SmapsParser, ReadsEveryPartOfAMapping) {
  const auto smaps = parse_smaps(kOne);
  ASSERT_TRUE(smaps);
  ASSERT_EQ(smaps->mappings.size(), 1u);
  const auto& mapping = smaps->mappings[0];
  EXPECT_EQ(mapping.begin, 0x7f01c2a00000u);
  EXPECT_EQ(mapping.end, 0x7f01c2a21000u);
  EXPECT_EQ(mapping.perms.text(), "rw-p");
  EXPECT_EQ(mapping.offset, 0x2000u);
  EXPECT_EQ(mapping.device_major, 0xfeu);
  EXPECT_EQ(mapping.device_minor, 0x0bu);
  EXPECT_EQ(mapping.inode, 247134u);
  EXPECT_EQ(mapping.name, "/usr/lib/libc.so.6");
  EXPECT_EQ(mapping.vm_flags, "rd wr mr mw me ac");
  EXPECT_TRUE(mapping.thp_eligible);
  EXPECT_FALSE(mapping.deleted);
}

TEST(SmapsParser, TurnsKilobytesIntoBytes) {
  const auto smaps = parse_smaps(kOne);
  ASSERT_TRUE(smaps);
  EXPECT_EQ(smaps->mappings[0].size_bytes, 132u * 1024);
  EXPECT_EQ(smaps->mappings[0].rss_bytes, 96u * 1024);
  EXPECT_EQ(smaps->mappings[0].private_dirty_bytes, 92u * 1024);
  EXPECT_EQ(smaps->mappings[0].kernel_page_bytes, 4096u);
}

TEST(SmapsParser, KeepsSpacesInMappingNames) {
  const auto smaps = parse_smaps(fixture("odd_names.smaps"));
  ASSERT_TRUE(smaps);
  EXPECT_NE(find_named(*smaps, "/a name with  spaces.bin"), nullptr);
  EXPECT_NE(find_named(*smaps, "/ leading.bin "), nullptr);
  EXPECT_NE(find_named(*smaps, "/back\\slash.bin"), nullptr);
  EXPECT_NE(find_named(*smaps, "/ümlaut.bin"), nullptr);
}

TEST(SmapsParser, DecodesANewlineInAName) {
  const auto smaps = parse_smaps(fixture("odd_names.smaps"));
  ASSERT_TRUE(smaps);
  EXPECT_NE(find_named(*smaps, "/new\nline.bin"), nullptr);
}

TEST(SmapsParser, MarksDeletedFilesAndTakesTheMarkOffTheName) {
  const auto smaps = parse_smaps(fixture("odd_names.smaps"));
  ASSERT_TRUE(smaps);
  const auto* file = find_named(*smaps, "/deleted file.bin");
  const auto* memfd = find_named(*smaps, "/memfd:a memfd");
  ASSERT_TRUE(file && memfd);
  EXPECT_TRUE(file->deleted);
  EXPECT_TRUE(memfd->deleted);
}

TEST(SmapsParser, ReadsEveryFieldOfTheTable) {
  for (const auto& row : counter_rows()) {
    const auto text = std::string("1000-2000 r--p 00000000 00:00 0 \n") + std::string(row.key) + ":  7 kB\n";
    const auto smaps = parse_smaps(text);
    ASSERT_TRUE(smaps) << row.key;
    EXPECT_EQ(smaps->mappings[0].*row.member, 7u * 1024) << row.key;
  }
}

TEST(SmapsParser, PassesOverFieldsOfLaterKernels) {
  const auto smaps = parse_smaps(with(std::string(kOne), "Rss:", "Invented_Field:  3 pages\nRss:"));
  ASSERT_TRUE(smaps);
  EXPECT_EQ(smaps->mappings[0].rss_bytes, 96u * 1024);
}

TEST(SmapsParser, AcceptsAMissingFinalNewline) {
  const auto text = fixture("sleep.smaps");
  const auto whole = parse_smaps(text);
  const auto cut = parse_smaps(std::string_view(text).substr(0, text.size() - 1));
  ASSERT_TRUE(whole && cut);
  EXPECT_TRUE(cut->complete);
  EXPECT_EQ(cut->mappings, whole->mappings);
}

TEST(SmapsParser, DoesNotTakeACutNumberForASmallerOne) {
  const auto smaps = parse_smaps(kOne.substr(0, kOne.find("96 kB") + 1));
  ASSERT_TRUE(smaps);
  EXPECT_EQ(smaps->mappings[0].rss_bytes, 0u);
  EXPECT_FALSE(smaps->complete);
}

TEST(SmapsParser, RefusesALineInTheMiddleThatIsNoField) {
  const auto smaps = parse_smaps(with(std::string(kOne), "Rss:                  96 kB", "garbage"));
  ASSERT_FALSE(smaps);
  EXPECT_NE(smaps.error().sentence.find("line 5"), std::string::npos) << smaps.error().sentence;
}

TEST(SmapsParser, RefusesAKnownFieldWithoutItsUnit) {
  EXPECT_FALSE(parse_smaps(with(std::string(kOne), "96 kB", "96 MB")));
  EXPECT_FALSE(parse_smaps(with(std::string(kOne), "96 kB", "-6 kB")));
  EXPECT_FALSE(parse_smaps(with(std::string(kOne), "96 kB", "99999999999999999999 kB")));
  EXPECT_FALSE(parse_smaps(with(std::string(kOne), "96 kB", "18014398509481985 kB")));  // 2^64 / 1024 + 1
}

TEST(SmapsParser, RefusesAnImpossibleRange) {
  EXPECT_FALSE(parse_smaps(with(std::string(kOne), "7f01c2a21000", "7f01c2900000")));
  EXPECT_FALSE(parse_smaps(with(std::string(kOne), "rw-p", "rw-?")));
  EXPECT_FALSE(parse_smaps("Rss: 4 kB\n" + std::string(kOne)));
}

TEST(SmapsParser, KnowsTheVsyscallPageAsTheKernels) {
  const auto smaps = parse_smaps(fixture("sleep.smaps"));
  ASSERT_TRUE(smaps);
  const auto* vsyscall = find_named(*smaps, "[vsyscall]");
  ASSERT_TRUE(vsyscall);
  EXPECT_FALSE(vsyscall->is_user_space());
  EXPECT_EQ(vsyscall->begin, 0xffffffffff600000u);
}

TEST(SmapsParser, KnowsRawMemoryByItsFlags) {
  const auto smaps = parse_smaps(fixture("sleep.smaps"));
  ASSERT_TRUE(smaps);
  const auto* vvar = find_named(*smaps, "[vvar]");
  ASSERT_TRUE(vvar);
  EXPECT_TRUE(vvar->is_raw_memory());
  EXPECT_FALSE(vvar->is_hugetlb());
}

TEST(SmapsParser, AgreesWithMaps) {
  expect_maps_agree("sleep");
  expect_maps_agree("odd_names");
  expect_maps_agree("node");
}

TEST(SmapsParser, TotalsAreThoseOfTheRollup) {
  expect_total_is_rollup("sleep");
  expect_total_is_rollup("odd_names");
  expect_total_is_rollup("node");
  expect_total_is_rollup("java");
}

TEST(SmapsParser, EmptyTextIsAProcessWithoutMemory) {
  const auto smaps = parse_smaps("");
  ASSERT_TRUE(smaps);
  EXPECT_TRUE(smaps->mappings.empty());
  EXPECT_FALSE(parse_smaps_rollup(""));
}

TEST(SmapsParser, EveryPrefixIsABeginningOfTheWhole) {
  const auto text = first_mappings(fixture("sleep.smaps"));
  const auto whole = parse_smaps(text);
  ASSERT_TRUE(whole);
  for (std::size_t length = 0; length < text.size(); ++length) {
    const auto prefix = parse_smaps(std::string_view(text).substr(0, length));
    ASSERT_TRUE(prefix) << length << prefix.error().sentence;
    ASSERT_LE(prefix->mappings.size(), whole->mappings.size());
    if (prefix->mappings.size() < 2) continue;
    const auto finished = prefix->mappings.size() - 1;
    ASSERT_TRUE(std::equal(prefix->mappings.begin(), prefix->mappings.begin() + static_cast<std::ptrdiff_t>(finished),
                           whole->mappings.begin()))
        << length;
    ASSERT_LE(total(prefix->mappings).rss_bytes, total(whole->mappings).rss_bytes);
  }
}

TEST(SmapsParser, APrefixIsCompleteOnlyAtTheEndOfAMapping) {
  const auto text = first_mappings(fixture("sleep.smaps"));
  for (std::size_t length = 1; length < text.size(); ++length) {
    const auto prefix = std::string_view(text).substr(0, length);
    const auto last_line = prefix.substr(prefix.substr(0, length - 1).rfind('\n') + 1);
    const auto smaps = parse_smaps(prefix);
    ASSERT_TRUE(smaps);
    ASSERT_EQ(smaps->complete, last_line.starts_with("VmFlags:")) << length << ' ' << last_line;
  }
}

TEST(MapsParser, EveryPrefixIsABeginningOfTheWhole) {
  const auto text = fixture("odd_names.maps");
  const auto whole = parse_maps(text);
  ASSERT_TRUE(whole);
  for (std::size_t length = 0; length < text.size(); ++length) {
    const auto prefix = parse_maps(std::string_view(text).substr(0, length));
    ASSERT_TRUE(prefix) << length;
    ASSERT_TRUE(std::equal(prefix->ranges.begin(), prefix->ranges.end(), whole->ranges.begin())) << length;
    ASSERT_EQ(prefix->complete, length == 0 || text[length - 1] == '\n') << length;
  }
}

TEST(RollupParser, RefusesEveryProperPrefix) {
  const auto text = fixture("sleep.smaps_rollup");
  for (std::size_t length = 0; length + 1 < text.size(); ++length) {
    ASSERT_FALSE(parse_smaps_rollup(std::string_view(text).substr(0, length))) << length;
  }
  EXPECT_TRUE(parse_smaps_rollup(std::string_view(text).substr(0, text.size() - 1)));
}

TEST(RollupParser, ReadsTheKindsOfPss) {
  const auto rollup = parse_smaps_rollup(fixture("node.smaps_rollup"));
  ASSERT_TRUE(rollup);
  const auto kinds = rollup->pss_anon_bytes + rollup->pss_file_bytes + rollup->pss_shmem_bytes;
  EXPECT_GT(rollup->pss_anon_bytes, 20u << 20);
  EXPECT_LE(rollup->pss_bytes - kinds, 3u * 1024);
}

}  // namespace
}  // namespace memswell::smaps
