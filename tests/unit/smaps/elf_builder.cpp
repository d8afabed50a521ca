#include "tests/unit/smaps/elf_builder.h"

#include <elf.h>
#include <sys/auxv.h>

#include <cstring>
#include <fstream>
#include <stdexcept>

namespace memswell::smaps::test {
namespace {

class StringTable {
 public:
  std::uint32_t add(const std::string& text) {
    const auto at = static_cast<std::uint32_t>(bytes_.size());
    bytes_ += text + '\0';
    return at;
  }
  const std::string& bytes() const { return bytes_; }

 private:
  std::string bytes_ = std::string(1, '\0');
};

template <class Row>
void append(std::string& bytes, const Row& row) {
  bytes.append(reinterpret_cast<const char*>(&row), sizeof row);
}

void append_function(std::string& bytes, std::uint32_t name, std::uint16_t section) {
  Elf64_Sym symbol{};
  symbol.st_name = name;
  symbol.st_info = ELF64_ST_INFO(STB_GLOBAL, STT_FUNC);
  symbol.st_shndx = section;
  append(bytes, symbol);
}

void append_dynamic(std::string& bytes, std::int64_t tag, std::uint64_t value) {
  Elf64_Dyn entry{};
  entry.d_tag = tag;
  entry.d_un.d_val = value;
  append(bytes, entry);
}

Elf64_Phdr segment(std::uint32_t type, std::uint64_t offset, std::uint64_t bytes) {
  Elf64_Phdr header{};
  header.p_type = type;
  header.p_offset = header.p_vaddr = offset;
  header.p_filesz = header.p_memsz = bytes;
  return header;
}

Elf64_Shdr section(std::uint32_t type, std::uint64_t offset, std::uint64_t bytes, std::uint32_t link) {
  Elf64_Shdr header{};
  header.sh_type = type;
  header.sh_offset = offset;
  header.sh_size = bytes;
  header.sh_link = link;
  return header;
}

Elf64_Ehdr own_header() {
  Elf64_Ehdr header{};
  std::ifstream("/proc/self/exe", std::ios::binary).read(reinterpret_cast<char*>(&header), sizeof header);
  if (std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0) throw std::runtime_error("cannot read the own ELF header");
  return header;
}

}  // namespace

std::string build_elf(const ElfSpec& spec) {
  StringTable names;
  std::string symbols(sizeof(Elf64_Sym), '\0');
  for (const auto& name : spec.exported) append_function(symbols, names.add(name), 1);
  for (const auto& name : spec.imported) append_function(symbols, names.add(name), SHN_UNDEF);
  StringTable local_names;
  std::string local_symbols(sizeof(Elf64_Sym), '\0');
  for (const auto& name : spec.defined) append_function(local_symbols, local_names.add(name), 1);
  std::string dynamic;
  for (const auto& library : spec.needed) append_dynamic(dynamic, DT_NEEDED, names.add(library));
  if (!spec.soname.empty()) append_dynamic(dynamic, DT_SONAME, names.add(spec.soname));

  constexpr std::uint16_t kSegments = 3;
  std::string bytes(sizeof(Elf64_Ehdr) + kSegments * sizeof(Elf64_Phdr), '\0');
  const auto add = [&](const std::string& part) {
    bytes.resize((bytes.size() + 7) / 8 * 8);
    const auto at = bytes.size();
    bytes += part;
    return at;
  };
  const auto interpreter = add(spec.interpreter + '\0');
  const auto symbols_at = add(symbols);
  const auto names_at = add(names.bytes());
  append_dynamic(dynamic, DT_SYMTAB, symbols_at);
  append_dynamic(dynamic, DT_STRTAB, names_at);
  append_dynamic(dynamic, DT_STRSZ, names.bytes().size());
  append_dynamic(dynamic, DT_NULL, 0);
  const auto dynamic_at = add(dynamic);
  const auto local_at = add(local_symbols);
  const auto local_names_at = add(local_names.bytes());
  std::string sections;
  append(sections, section(SHT_NULL, 0, 0, 0));
  append(sections, section(SHT_SYMTAB, local_at, local_symbols.size(), 2));
  append(sections, section(SHT_STRTAB, local_names_at, local_names.bytes().size(), 0));
  const auto sections_at = add(sections);

  auto header = own_header();
  header.e_ident[EI_CLASS] = spec.is_64_bit ? ELFCLASS64 : ELFCLASS32;
  if (spec.machine != 0) header.e_machine = spec.machine;
  header.e_phoff = sizeof header;
  header.e_phnum = kSegments;
  header.e_shoff = sections_at;
  header.e_shnum = 3;
  std::string head;
  append(head, header);
  append(head, segment(PT_LOAD, 0, bytes.size()));
  append(head, segment(PT_DYNAMIC, dynamic_at, dynamic.size()));
  append(head, segment(spec.interpreter.empty() ? PT_NULL : PT_INTERP, interpreter, spec.interpreter.size() + 1));
  return bytes.replace(0, head.size(), head);
}

}  // namespace memswell::smaps::test
