#include "tests/support/elf_file.h"

#include <algorithm>
#include <cstring>
#include <fstream>
#include <iterator>
#include <stdexcept>

namespace memswell::tests {

ElfFile::ElfFile(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  bytes_.assign(std::istreambuf_iterator<char>(in), {});
  if (bytes_.size() < sizeof(Elf64_Ehdr) || std::memcmp(bytes_.data(), ELFMAG, SELFMAG) != 0 ||
      bytes_[EI_CLASS] != ELFCLASS64 || bytes_[EI_DATA] != ELFDATA2LSB) {
    throw std::runtime_error(path + " is not a 64-bit little-endian ELF file");
  }
  const auto* header = at<Elf64_Ehdr>(0);
  const auto* segments = at<Elf64_Phdr>(header->e_phoff, header->e_phnum);
  segments_.assign(segments, segments + header->e_phnum);
  const auto* sections = at<Elf64_Shdr>(header->e_shoff, header->e_shnum);
  sections_.assign(sections, sections + header->e_shnum);
  if (const Elf64_Shdr* table = section(SHT_DYNAMIC)) {
    const std::uint64_t count = table->sh_size / sizeof(Elf64_Dyn);
    const auto* entries = at<Elf64_Dyn>(table->sh_offset, count);
    dynamic_.assign(entries, entries + count);
  }
}

template <class T>
const T* ElfFile::at(std::uint64_t offset, std::uint64_t count) const {
  if (offset > bytes_.size() || count > (bytes_.size() - offset) / sizeof(T)) {
    throw std::runtime_error("an offset in the ELF file points behind its end");
  }
  return reinterpret_cast<const T*>(bytes_.data() + offset);
}

const Elf64_Shdr* ElfFile::section(std::uint32_t type) const {
  const auto found = std::find_if(sections_.begin(), sections_.end(), [&](const auto& s) { return s.sh_type == type; });
  return found == sections_.end() ? nullptr : &*found;
}

std::string ElfFile::string_at(const Elf64_Shdr& strings, std::uint64_t offset) const {
  if (offset >= strings.sh_size) throw std::runtime_error("a name in the ELF file lies behind its string table");
  return at<char>(strings.sh_offset + offset);
}

std::vector<std::string> ElfFile::needed() const {
  std::vector<std::string> names;
  const Elf64_Shdr& strings = sections_.at(section(SHT_DYNAMIC)->sh_link);
  for (const Elf64_Dyn& entry : dynamic_) {
    if (entry.d_tag == DT_NEEDED) names.push_back(string_at(strings, entry.d_un.d_val));
  }
  return names;
}

std::vector<std::string> ElfFile::dynamic_symbols(bool defined) const {
  std::vector<std::string> names;
  const Elf64_Shdr* table = section(SHT_DYNSYM);
  const std::uint64_t count = table->sh_size / sizeof(Elf64_Sym);
  const auto* symbols = at<Elf64_Sym>(table->sh_offset, count);
  for (std::uint64_t i = 1; i < count; ++i) {
    if ((symbols[i].st_shndx != SHN_UNDEF) == defined) {
      names.push_back(string_at(sections_.at(table->sh_link), symbols[i].st_name));
    }
  }
  std::sort(names.begin(), names.end());
  return names;
}

std::vector<std::string> ElfFile::undefined_symbols() const { return dynamic_symbols(false); }

std::vector<std::string> ElfFile::exported_symbols() const { return dynamic_symbols(true); }

std::vector<std::string> ElfFile::local_functions_beginning_with(const std::string& prefix) const {
  std::vector<std::string> names;
  const Elf64_Shdr* table = section(SHT_SYMTAB);
  if (table == nullptr) throw std::runtime_error("the ELF file is stripped");
  const std::uint64_t count = table->sh_size / sizeof(Elf64_Sym);
  const auto* symbols = at<Elf64_Sym>(table->sh_offset, count);
  for (std::uint64_t i = 1; i < count; ++i) {
    const std::string name = string_at(sections_.at(table->sh_link), symbols[i].st_name);
    if (ELF64_ST_TYPE(symbols[i].st_info) == STT_FUNC && name.rfind(prefix, 0) == 0) names.push_back(name);
  }
  return names;
}

bool ElfFile::has_dynamic(std::int64_t tag) const {
  return std::any_of(dynamic_.begin(), dynamic_.end(), [&](const auto& entry) { return entry.d_tag == tag; });
}

std::uint64_t ElfFile::dynamic_value(std::int64_t tag) const {
  for (const Elf64_Dyn& entry : dynamic_) {
    if (entry.d_tag == tag) return entry.d_un.d_val;
  }
  return 0;
}

std::uint64_t ElfFile::constructors() const { return dynamic_value(DT_INIT_ARRAYSZ) / sizeof(Elf64_Addr); }

std::uint64_t ElfFile::destructors() const { return dynamic_value(DT_FINI_ARRAYSZ) / sizeof(Elf64_Addr); }

std::uint64_t ElfFile::tls_bytes() const {
  std::uint64_t bytes = 0;
  for (const Elf64_Phdr& segment : segments_) bytes += segment.p_type == PT_TLS ? segment.p_memsz : 0;
  return bytes;
}

std::uint64_t ElfFile::data_bytes() const {
  std::uint64_t bytes = 0;
  for (const Elf64_Phdr& segment : segments_) {
    if (segment.p_type == PT_LOAD && (segment.p_flags & PF_W) != 0) bytes += segment.p_memsz;
  }
  return bytes;
}

bool ElfFile::has_executable_stack() const {
  return std::any_of(segments_.begin(), segments_.end(), [](const Elf64_Phdr& segment) {
    return segment.p_type == PT_GNU_STACK && (segment.p_flags & PF_X) != 0;
  });
}

}  // namespace memswell::tests
