#include "probes/smaps/elf_file.h"

#include <elf.h>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "base/unique_fd.h"
#include "tests/unit/smaps/elf_builder.h"
#include "tests/unit/smaps/temporary_directory.h"

namespace memswell::smaps {
namespace {

using test::build_elf;
using test::ElfSpec;
using test::TemporaryDirectory;

const std::vector<std::string> kNames = {"malloc", "__asan_init"};

class ElfFile : public testing::Test {
 protected:
  Result<ElfFacts> read(const std::string& bytes) const {
    return read_elf_facts(directory_.write("program", bytes), kNames);
  }

  TemporaryDirectory directory_;
};

TEST_F(ElfFile, ReadsTheDynamicFacts) {
  ElfSpec spec;
  spec.needed = {"libasan.so.8", "libc.so.6"};
  spec.soname = "thing.so.1";
  const auto facts = read(build_elf(spec));
  ASSERT_TRUE(facts);
  EXPECT_TRUE(facts->native);
  EXPECT_TRUE(facts->has_interpreter);
  EXPECT_EQ(facts->interpreter, spec.interpreter);
  EXPECT_EQ(facts->needed, spec.needed);
  EXPECT_EQ(facts->soname, spec.soname);
}

TEST_F(ElfFile, FindsOnlyFunctionsThatAreDefined) {
  ElfSpec spec;
  spec.exported = {"__asan_init", "other"};
  spec.imported = {"malloc"};
  const auto facts = read(build_elf(spec));
  ASSERT_TRUE(facts);
  EXPECT_EQ(facts->exported, std::vector<std::string>{"__asan_init"});
  EXPECT_TRUE(facts->defined.empty());
}

TEST_F(ElfFile, ReadsTheSymbolTable) {
  ElfSpec spec;
  spec.defined = {"xmalloc", "malloc"};
  const auto facts = read(build_elf(spec));
  ASSERT_TRUE(facts);
  EXPECT_EQ(facts->defined, std::vector<std::string>{"malloc"});
}

TEST_F(ElfFile, AnotherClassOrMachineIsNotNative) {
  ElfSpec small;
  small.is_64_bit = false;
  ElfSpec foreign;
  foreign.machine = EM_SPARCV9;
  EXPECT_FALSE(read(build_elf(small))->native);
  EXPECT_FALSE(read(build_elf(foreign))->native);
}

TEST_F(ElfFile, ATextIsNoElfFile) { EXPECT_FALSE(read("#!/bin/sh\n")); }

TEST_F(ElfFile, ADirectoryIsNoElfFile) { EXPECT_FALSE(read_elf_facts(directory_.path(), kNames)); }

TEST_F(ElfFile, SurvivesEveryPrefix) {
  ElfSpec spec;
  spec.exported = {"malloc"};
  spec.defined = {"malloc"};
  const auto bytes = build_elf(spec);
  const auto path = directory_.write("program", bytes);
  for (std::size_t length = bytes.size(); length-- > 0;) {
    ASSERT_EQ(::truncate(path.c_str(), static_cast<off_t>(length)), 0);
    const auto facts = read_elf_facts(path, kNames);
    ASSERT_TRUE(!facts || facts->exported.size() <= 1) << length;
  }
}

TEST_F(ElfFile, SurvivesEveryByteSetToItsLargestValue) {
  ElfSpec spec;
  spec.exported = {"malloc"};
  spec.defined = {"malloc"};
  const auto bytes = build_elf(spec);
  const auto path = directory_.write("program", bytes);
  const UniqueFd file(::open(path.c_str(), O_WRONLY | O_CLOEXEC));
  for (std::size_t at = 0; at < bytes.size(); ++at) {
    ASSERT_EQ(::pwrite(file.get(), "\xff", 1, static_cast<off_t>(at)), 1);
    const auto facts = read_elf_facts(path, kNames);
    ASSERT_TRUE(!facts || facts->interpreter.size() <= 4096) << at;
    ASSERT_EQ(::pwrite(file.get(), &bytes[at], 1, static_cast<off_t>(at)), 1);
  }
}

TEST_F(ElfFile, SurvivesTablesThatPointBeyondTheFile) {
  auto bytes = build_elf({});
  reinterpret_cast<Elf64_Ehdr*>(bytes.data())->e_shoff = ~std::uint64_t{0} - 7;
  EXPECT_TRUE(read(bytes));
  reinterpret_cast<Elf64_Ehdr*>(bytes.data())->e_phoff = ~std::uint64_t{0} - 7;
  EXPECT_FALSE(read(bytes));
}

}  // namespace
}  // namespace memswell::smaps
