#include "symbols/build_id.h"

#include <fcntl.h>
#include <gtest/gtest.h>

#include "base/unique_fd.h"
#include "fixture.h"
#include "symbols/elf_file.h"

namespace memswell::symbols {
namespace {

BuildId build_id_of(const std::string& path) { return module_at(path).build_id; }

TEST(BuildId, EqualsWhatLibelfReads) {
  const auto file = ElfFile::open(fixture_path("dwarf5"));
  ASSERT_TRUE(file);
  EXPECT_EQ(build_id_of(fixture_path("dwarf5")), file->build_id());
  EXPECT_EQ(build_id_of(fixture_path("dwarf5")).size(), 20u);
}

TEST(BuildId, SurvivesStripping) {
  EXPECT_EQ(build_id_of(fixture_path("stripped")), build_id_of(fixture_path("dwarf5")));
}

TEST(BuildId, IsEmptyWhereThereIsNone) {
  EXPECT_TRUE(build_id_of(fixture_path("no_build_id")).empty());
  EXPECT_TRUE(build_id_of("/dev/null").empty());
  EXPECT_TRUE(read_build_id(-1).empty());
}

TEST(BuildId, IsEmptyOrRightInEveryPrefixOfAFile) {
  const std::string whole = read_file(fixture_path("dwarf5")).substr(0, 2000);
  const BuildId id = build_id_of(fixture_path("dwarf5"));
  TemporaryFolder folder;
  const std::string path = folder.path() + "/prefix";
  for (std::size_t length = 0; length < whole.size(); length += 7) {
    write_file(path, whole.substr(0, length));
    const BuildId found = build_id_of(path);
    EXPECT_TRUE(found.empty() || found == id) << length;
  }
}

TEST(BuildId, IsPrintedAsHex) {
  const BuildId id{0x00, 0x1f, 0xab};
  EXPECT_EQ(hex(id), "001fab");
}

}  // namespace
}  // namespace memswell::symbols
