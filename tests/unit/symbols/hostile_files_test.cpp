// Modules that are cut off, damaged or made to hurt: names or none, a note, and never a crash of ours.
#include <elf.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <algorithm>
#include <cstring>
#include <random>

#include "fixture.h"
#include "symbols/elf_file.h"

namespace memswell::symbols {
namespace {

struct HostileFile : testing::Test {
  TemporaryFolder folder;
  std::string path = folder.path() + "/module";
  std::string whole = read_file(fixture_path("dwarf5"));
  std::map<std::string, Address> told = told_by("dwarf5");
  BuildId id = module_at(fixture_path("dwarf5")).build_id;

  // Every told address, as if recorded from the whole module.
  Names names_of(std::string_view bytes) {
    write_file(path, bytes);
    Symbolizer symbolizer(bare_options());
    symbolizer.add({ModuleId{1}, path, id});
    std::vector<trace::Frame> frames;
    for (const auto& [name, address] : told) frames.push_back({ModuleId{1}, trace::FrameKind::call, address});
    return symbolizer.symbolize(frames);
  }
  // Bytes of a section, to be damaged.
  struct Section {
    std::size_t offset = 0;
    std::size_t bytes = 0;
  };
  Section section(const char* name) const {
    Elf64_Ehdr header;
    std::memcpy(&header, whole.data(), sizeof header);
    const auto at = [&](std::size_t index) {
      Elf64_Shdr found;
      std::memcpy(&found, whole.data() + header.e_shoff + index * sizeof found, sizeof found);
      return found;
    };
    const std::size_t names = at(header.e_shstrndx).sh_offset;
    for (std::size_t i = 0; i < header.e_shnum; ++i) {
      if (std::strcmp(whole.data() + names + at(i).sh_name, name) == 0) return {at(i).sh_offset, at(i).sh_size};
    }
    ADD_FAILURE() << name;
    return {};
  }
  std::string with_noise(const char* name, unsigned seed) const {
    std::string damaged = whole;
    std::mt19937 random(seed);
    const Section place = section(name);
    for (std::size_t i = 0; i < std::max<std::size_t>(place.bytes / 64, 1); ++i) {
      damaged[place.offset + random() % place.bytes] = static_cast<char>(random());
    }
    return damaged;
  }
};

TEST_F(HostileFile, IsReadWholeFirst) {
  for (const auto& frame : names_of(whole).frames) EXPECT_FALSE(frame.levels.empty());
}

TEST_F(HostileFile, MayBeCutOffAnywhere) {
  constexpr std::size_t kLengths[] = {0,    1,    4,    16,    63,    64,    65,    100,  500,
                                      1000, 4096, 8192, 12288, 13000, 14000, 16000, 20000};
  for (const std::size_t length : kLengths) {
    const auto names = names_of(std::string_view(whole).substr(0, length));
    EXPECT_EQ(names.frames.size(), told.size()) << length;
    EXPECT_FALSE(names.modules.at(0).note.empty()) << length;
  }
  EXPECT_EQ(names_of(std::string_view(whole).substr(0, whole.size() - 1)).frames.size(), told.size());
}

class DamagedSection : public HostileFile, public testing::WithParamInterface<const char*> {};

TEST_P(DamagedSection, NeverHurts) {
  for (unsigned seed = 1; seed <= 12; ++seed) {
    const auto names = names_of(with_noise(GetParam(), seed));
    EXPECT_EQ(names.frames.size(), told.size());
    EXPECT_FALSE(names.modules.at(0).note.empty());
  }
}

INSTANTIATE_TEST_SUITE_P(Dwarf, DamagedSection,
                         testing::Values(".debug_info", ".debug_abbrev", ".debug_line", ".debug_line_str", ".debug_str",
                                         ".debug_rnglists", ".debug_aranges"),
                         [](const auto& parameter) { return std::string(parameter.param).substr(1); });
INSTANTIATE_TEST_SUITE_P(Elf, DamagedSection,
                         testing::Values(".symtab", ".strtab", ".shstrtab", ".dynsym", ".rela.plt", ".plt"),
                         [](const auto& parameter) {
                           std::string name = std::string(parameter.param).substr(1);
                           std::replace(name.begin(), name.end(), '.', '_');
                           return name;
                         });

TEST_F(HostileFile, FallsBackToTheSymbolTableWhereDebugInformationIsUseless) {
  std::string damaged = whole;
  const Section abbreviations = section(".debug_abbrev");
  damaged.replace(abbreviations.offset, abbreviations.bytes, abbreviations.bytes, '\xff');
  const auto names = names_of(damaged);
  EXPECT_TRUE(names.modules.at(0).symbol_table);
  for (const auto& frame : names.frames) EXPECT_FALSE(frame.levels.at(0).function.empty());
}

TEST_F(HostileFile, MayClaimAbsurdSizes) {
  std::string damaged = whole;
  for (const char* name : {".symtab", ".debug_info", ".strtab"}) {
    Elf64_Ehdr header;
    std::memcpy(&header, whole.data(), sizeof header);
    const std::size_t offset = section(name).offset;
    for (std::size_t i = 0; i < header.e_shnum; ++i) {
      Elf64_Shdr found;
      char* at = damaged.data() + header.e_shoff + i * sizeof found;
      std::memcpy(&found, at, sizeof found);
      if (found.sh_offset == offset) found.sh_size = UINT64_MAX - 8;
      std::memcpy(at, &found, sizeof found);
    }
  }
  EXPECT_EQ(names_of(damaged).frames.size(), told.size());
}

TEST_F(HostileFile, MayClaimManyHeaders) {
  std::string damaged = whole;
  Elf64_Ehdr header;
  std::memcpy(&header, damaged.data(), sizeof header);
  header.e_phnum = 0xfffe;
  header.e_shnum = 0xfeff;
  header.e_shoff = UINT64_MAX - 100;
  std::memcpy(damaged.data(), &header, sizeof header);
  EXPECT_EQ(names_of(damaged).frames.size(), told.size());
}

TEST_F(HostileFile, MayBeAPipe) {
  ASSERT_EQ(mkfifo(path.c_str(), 0600), 0);
  const auto named = name_of(path, 1);
  EXPECT_EQ(named.module.note, "its file cannot be read: not a regular file");
}

}  // namespace
}  // namespace memswell::symbols
