#include "symbols/name_table.h"

#include <gtest/gtest.h>

namespace memswell::symbols {
namespace {

const trace::SourceFrame kInner{"inner()", "a.h", 3};
const trace::SourceFrame kOuter{"outer()", "a.cpp", 40};

NameTable example() {
  NameTable table;
  table.build_id = {1, 2, 3, 4};
  table.symbol_table = true;
  table.debug_info = true;
  table.note = "debug information in the file";
  table.consulted = {{"/bin/program", 100, 7}, {"/usr/lib/debug/x.debug", 0, 0}};
  const trace::SourceFrame both[] = {kInner, kOuter};
  table.add(0x1000, both);
  table.add(0x2000, std::span(both).subspan(1));
  table.add(0x3000, {});
  return table;
}

TEST(NameTable, ComesBackWholeFromItsBytes) {
  const auto table = NameTable::decode(example().encode());
  ASSERT_TRUE(table);
  EXPECT_EQ(table->build_id, example().build_id);
  EXPECT_TRUE(table->symbol_table);
  EXPECT_TRUE(table->debug_info);
  EXPECT_EQ(table->note, "debug information in the file");
  EXPECT_EQ(table->consulted, example().consulted);
  EXPECT_EQ(table->find(0x1000), (std::vector{kInner, kOuter}));
  EXPECT_EQ(table->find(0x2000), (std::vector{kOuter}));
}

TEST(NameTable, TellsLookedUpFromUnknown) {
  const auto table = example();
  EXPECT_TRUE(table.contains(0x3000));
  EXPECT_TRUE(table.find(0x3000).empty());
  EXPECT_FALSE(table.contains(0x4000));
}

TEST(NameTable, TakesOverWhatIsNew) {
  NameTable table = example();
  NameTable other;
  other.add(0x1000, {});
  other.add(0x4000, {&kOuter, 1});
  table.add(other);
  EXPECT_EQ(table.find(0x1000).size(), 2u);
  EXPECT_EQ(table.find(0x4000), (std::vector{kOuter}));
}

TEST(NameTable, RefusesEveryPrefixOfItsBytes) {
  const std::string bytes = example().encode();
  for (std::size_t length = 0; length < bytes.size(); ++length) {
    EXPECT_FALSE(NameTable::decode(std::string_view(bytes).substr(0, length))) << length;
  }
}

TEST(NameTable, RefusesEveryChangedByte) {
  const std::string bytes = example().encode();
  for (std::size_t at = 0; at < bytes.size(); ++at) {
    std::string changed = bytes;
    changed[at] = static_cast<char>(changed[at] ^ 0x40);
    EXPECT_FALSE(NameTable::decode(changed)) << at;
  }
}

}  // namespace
}  // namespace memswell::symbols
