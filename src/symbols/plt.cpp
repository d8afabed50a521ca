#include "symbols/plt.h"

#include <gelf.h>

#include <optional>

namespace memswell::symbols {
namespace {

struct Layout {
  std::uint64_t begin;
  std::uint64_t end;
  std::uint64_t stub_bytes;
};

std::optional<GElf_Shdr> header_of(Elf_Scn* section) {
  GElf_Shdr header;
  if (!section || !gelf_getshdr(section, &header)) return std::nullopt;
  return header;
}

// With -z ibtplt (the default of some distributions) calls go to .plt.sec, which has no header entry.
std::optional<Layout> layout_of(const ElfFile& file) {
  GElf_Ehdr machine;
  if (!gelf_getehdr(file.handle(), &machine)) return std::nullopt;
  if (machine.e_machine != EM_X86_64 && machine.e_machine != EM_AARCH64) return std::nullopt;
  const std::uint64_t first_bytes = machine.e_machine == EM_AARCH64 ? 32 : 16;
  if (const auto second = header_of(file.section(".plt.sec"))) {
    return Layout{second->sh_addr, second->sh_addr + second->sh_size, 16};
  }
  const auto plt = header_of(file.section(".plt"));
  if (!plt || plt->sh_size < first_bytes) return std::nullopt;
  return Layout{plt->sh_addr + first_bytes, plt->sh_addr + plt->sh_size, 16};
}

const char* called_name(const ElfFile& file, const GElf_Shdr& relocations, const GElf_Rela& relocation) {
  Elf_Scn* symbols = elf_getscn(file.handle(), relocations.sh_link);
  const auto header = header_of(symbols);
  Elf_Data* data = header ? elf_getdata(symbols, nullptr) : nullptr;
  GElf_Sym symbol;
  const auto index = static_cast<int>(GELF_R_SYM(relocation.r_info));
  if (!data || index <= 0 || !gelf_getsym(data, index, &symbol)) return nullptr;
  return elf_strptr(file.handle(), header->sh_link, symbol.st_name);
}

}  // namespace

std::vector<PltStub> plt_stubs(const ElfFile& file) {
  std::vector<PltStub> stubs;
  const auto layout = layout_of(file);
  Elf_Scn* section = file.section(".rela.plt");
  const auto relocations = header_of(section);
  Elf_Data* data = relocations ? elf_getdata(section, nullptr) : nullptr;
  if (!layout || !data || relocations->sh_type != SHT_RELA || relocations->sh_entsize == 0) return stubs;
  const std::uint64_t room = (layout->end - layout->begin) / layout->stub_bytes;
  const std::uint64_t count = std::min<std::uint64_t>(room, data->d_size / relocations->sh_entsize);
  for (std::uint64_t i = 0; i < count; ++i) {
    GElf_Rela relocation;
    if (!gelf_getrela(data, static_cast<int>(i), &relocation)) break;
    const char* name = called_name(file, *relocations, relocation);
    if (!name || name[0] == '\0') continue;  // an ifunc of its own: IRELATIVE has no symbol
    stubs.push_back({std::string(name) + "@plt", layout->begin + i * layout->stub_bytes, layout->stub_bytes});
  }
  return stubs;
}

}  // namespace memswell::symbols
