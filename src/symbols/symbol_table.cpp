#include "symbols/symbol_table.h"

#include <gelf.h>

#include <algorithm>
#include <cstring>

#include "symbols/plt.h"

namespace memswell::symbols {
namespace {

bool is_function(const GElf_Sym& symbol) {
  const auto type = GELF_ST_TYPE(symbol.st_info);
  const bool code = type == STT_FUNC || type == STT_GNU_IFUNC || type == STT_NOTYPE;  // NOTYPE: labels of assembly
  return code && symbol.st_shndx != SHN_UNDEF && symbol.st_shndx != SHN_ABS && symbol.st_value != 0;
}

// $x, $d, $a, $t (with an optional suffix) tell ARM and RISC-V disassemblers code from data; .L names are local labels.
bool is_mapping_symbol(const char* name) {
  return name[0] == '$' || name[0] == '\0' || std::strncmp(name, ".L", 2) == 0;
}

// Binding before the look of the name: three names of one function are common in libc (malloc, __libc_malloc).
std::uint32_t rank_of(const GElf_Sym& symbol, const char* name) {
  const auto binding = GELF_ST_BIND(symbol.st_info);
  const std::uint32_t visible = binding == STB_GLOBAL || binding == STB_GNU_UNIQUE ? 2 : binding == STB_WEAK ? 1 : 0;
  const auto underscores = static_cast<std::uint32_t>(std::min<std::size_t>(std::strspn(name, "_"), 7));
  const std::uint32_t typed = GELF_ST_TYPE(symbol.st_info) == STT_NOTYPE ? 0 : 1;
  return typed << 16 | visible << 8 | (7 - underscores);
}

// The end of the section that a symbol lies in; 0 if that holds no code.
std::uint64_t code_limit(Elf* elf, const GElf_Sym& symbol) {
  GElf_Shdr header;
  Elf_Scn* section = elf_getscn(elf, symbol.st_shndx);
  if (!section || !gelf_getshdr(section, &header) || (header.sh_flags & SHF_EXECINSTR) == 0) return 0;
  return header.sh_addr + header.sh_size;
}

}  // namespace

std::size_t SymbolTable::add(const ElfFile& file, std::uint32_t section_type) {
  const std::size_t before = symbols_.size();
  Elf* elf = file.handle();
  for (Elf_Scn* section = elf_nextscn(elf, nullptr); section; section = elf_nextscn(elf, section)) {
    GElf_Shdr header;
    if (!gelf_getshdr(section, &header) || header.sh_type != section_type || header.sh_entsize == 0) continue;
    Elf_Data* data = elf_getdata(section, nullptr);
    if (!data || !data->d_buf) continue;
    const std::size_t count = data->d_size / header.sh_entsize;
    for (std::size_t i = 1; i < count; ++i) {
      GElf_Sym symbol;
      if (!gelf_getsym(data, static_cast<int>(i), &symbol)) break;
      if (!is_function(symbol)) continue;
      const char* name = elf_strptr(elf, header.sh_link, symbol.st_name);
      const std::uint64_t limit = code_limit(elf, symbol);
      if (!name || is_mapping_symbol(name) || limit <= symbol.st_value) continue;
      symbols_.push_back({name, symbol.st_value, symbol.st_size, limit, rank_of(symbol, name)});
    }
  }
  return symbols_.size() - before;
}

void SymbolTable::add_plt(const ElfFile& file) {
  for (auto& stub : plt_stubs(file)) {
    made_names_.push_back(std::move(stub.name));
    symbols_.push_back({made_names_.back().c_str(), stub.address, stub.size, stub.address + stub.size, 0});
  }
}

// The innermost function wins, that is the one that begins last; then rank; then, so that two runs agree, the name.
void SymbolTable::seal() {
  std::sort(symbols_.begin(), symbols_.end(), [](const Symbol& a, const Symbol& b) {
    if (a.address != b.address) return a.address < b.address;
    if (a.rank != b.rank) return a.rank > b.rank;
    return std::strcmp(a.name, b.name) < 0;
  });
  auto ranges = sized_ranges();
  add_unsized_ranges(ranges);
  map_ = AddressMap(std::move(ranges));
}

std::vector<AddressRange> SymbolTable::sized_ranges() const {
  std::vector<AddressRange> ranges;
  ranges.reserve(symbols_.size());
  for (std::size_t i = 0; i < symbols_.size(); ++i) {
    const Symbol& symbol = symbols_[i];
    if (symbol.size == 0) continue;
    const std::uint64_t end = symbol.address + std::min(symbol.size, symbol.limit - symbol.address);
    ranges.push_back({symbol.address, end, {symbol.address, symbols_.size() - i}, static_cast<std::uint32_t>(i)});
  }
  return ranges;
}

// A symbol without a size reaches to the next symbol or the end of its section. Inside a sized one it is a label.
void SymbolTable::add_unsized_ranges(std::vector<AddressRange>& ranges) const {
  const AddressMap sized(ranges);
  std::uint64_t next = UINT64_MAX;  // address of the nearest symbol above
  std::uint64_t here = UINT64_MAX;  // address of the symbols just seen
  for (std::size_t i = symbols_.size(); i-- > 0;) {
    const Symbol& symbol = symbols_[i];
    if (symbol.address != here) next = std::exchange(here, symbol.address);
    if (symbol.size != 0 || sized.find(symbol.address)) continue;
    ranges.push_back({symbol.address,
                      std::min(next, symbol.limit),
                      {symbol.address, symbols_.size() - i},
                      static_cast<std::uint32_t>(i)});
  }
}

const char* SymbolTable::find(std::uint64_t address) const {
  const auto index = map_.find(address);
  return index ? symbols_[*index].name : nullptr;
}

}  // namespace memswell::symbols
