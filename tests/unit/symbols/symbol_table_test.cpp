// Symbols by address: sizes, ranks, labels and the stubs of the linkage table.
#include "symbols/symbol_table.h"

#include <gtest/gtest.h>

#include "fixture.h"
#include "symbols/plt.h"

namespace memswell::symbols {
namespace {

struct PlainSymbols : testing::Test {
  Result<ElfFile> file = ElfFile::open(fixture_path("plain"));
  SymbolTable table;
  std::map<std::string, Address> told = told_by("plain");

  void SetUp() override {
    ASSERT_TRUE(file);
    ASSERT_GT(table.add(*file, SHT_SYMTAB), 0u);
    table.seal();
  }
  std::string name_at(Address address) {
    const char* name = table.find(address);
    return name ? name : "";
  }
};

TEST_F(PlainSymbols, ReachesAsFarAsItsSizeAndNotFurther) {
  const Address sized = told.at("sized");
  EXPECT_EQ(name_at(sized), "sized_function");
  EXPECT_EQ(name_at(sized + 15), "sized_function");
  EXPECT_EQ(name_at(sized + 32), "");
  EXPECT_EQ(name_at(sized + 95), "");
}

TEST_F(PlainSymbols, PrefersTheInnermostFunction) {
  EXPECT_EQ(name_at(told.at("sized") + 16), "nested_function");
  EXPECT_EQ(name_at(told.at("sized") + 31), "nested_function");
}

TEST_F(PlainSymbols, LetsASymbolWithoutSizeReachToTheNext) {
  EXPECT_EQ(name_at(told.at("bare")), "bare_label");
  EXPECT_EQ(name_at(told.at("bare") + 31), "bare_label");
}

TEST_F(PlainSymbols, PrefersTheGlobalNameOfTwo) { EXPECT_EQ(name_at(told.at("twin") + 5), "twin"); }

TEST_F(PlainSymbols, KnowsNothingOutsideOfTheCode) {
  EXPECT_EQ(name_at(0), "");
  EXPECT_EQ(name_at(UINT64_MAX), "");
}

TEST(Plt, NamesTheStubThatAProgramCalls) {
  const Address stub = told_by("fixed_address").at("stub");
  const auto named = name_of(fixture_path("fixed_address"), stub, trace::FrameKind::exact);
  EXPECT_EQ(as_text(named.levels), "puts@plt");
}

}  // namespace
}  // namespace memswell::symbols
