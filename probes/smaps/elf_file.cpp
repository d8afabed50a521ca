#include "probes/smaps/elf_file.h"

#include <elf.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cstring>
#include <string_view>
#include <type_traits>

#include "base/unique_fd.h"

namespace memswell::smaps {
namespace {

#if defined(__x86_64__)
constexpr std::uint16_t kOwnMachine = EM_X86_64;
#elif defined(__aarch64__)
constexpr std::uint16_t kOwnMachine = EM_AARCH64;
#elif defined(__riscv)
constexpr std::uint16_t kOwnMachine = EM_RISCV;
#elif defined(__powerpc64__)
constexpr std::uint16_t kOwnMachine = EM_PPC64;
#else
#error "name this machine's e_machine here"
#endif
constexpr unsigned char kOwnByteOrder = std::endian::native == std::endian::little ? ELFDATA2LSB : ELFDATA2MSB;

constexpr std::uint64_t kLongestTable = std::uint64_t{64} << 20;
constexpr std::uint64_t kLongestPath = 4096;
constexpr std::size_t kMostNeeded = 4096;

class ElfReader {
 public:
  ElfReader(UniqueFd fd, std::uint64_t size) : fd_(std::move(fd)), size_(size) {}

  bool read(std::uint64_t offset, void* out, std::uint64_t bytes) const {
    if (bytes > size_ || offset > size_ - bytes) return false;
    auto* to = static_cast<char*>(out);
    while (bytes > 0) {
      const auto got = ::pread(fd_.get(), to, bytes, static_cast<off_t>(offset));
      if (got < 0 && errno == EINTR) continue;
      if (got <= 0) return false;
      to += got;
      offset += static_cast<std::uint64_t>(got);
      bytes -= static_cast<std::uint64_t>(got);
    }
    return true;
  }

  // Empty: outside of the file, or longer than any honest table.
  template <class Row>
  std::vector<Row> table(std::uint64_t offset, std::uint64_t bytes) const {
    static_assert(std::is_trivially_copyable_v<Row>);
    if (bytes > kLongestTable || bytes > size_) return {};
    std::vector<Row> rows(bytes / sizeof(Row));
    if (!read(offset, rows.data(), rows.size() * sizeof(Row))) rows.clear();
    return rows;
  }

  std::string text(std::uint64_t offset, std::uint64_t bytes) const {
    if (offset >= size_) return {};
    const auto chars = table<char>(offset, std::min({bytes, kLongestPath, size_ - offset}));
    return {chars.begin(), std::find(chars.begin(), chars.end(), '\0')};
  }

 private:
  UniqueFd fd_;
  std::uint64_t size_;
};

std::optional<std::uint64_t> file_offset(const std::vector<Elf64_Phdr>& segments, std::uint64_t address) {
  for (const auto& segment : segments) {
    const bool inside =
        segment.p_type == PT_LOAD && address >= segment.p_vaddr && address - segment.p_vaddr < segment.p_filesz;
    if (inside) return segment.p_offset + (address - segment.p_vaddr);
  }
  return std::nullopt;
}

struct Dynamic {
  std::optional<std::uint64_t> strings;
  std::optional<std::uint64_t> symbols;
  std::uint64_t string_bytes = 0;
  std::optional<std::uint64_t> soname;
  std::vector<std::uint64_t> needed;
};

Dynamic read_dynamic(const ElfReader& file, const std::vector<Elf64_Phdr>& segments, const Elf64_Phdr& dynamic) {
  Dynamic found;
  for (const auto& entry : file.table<Elf64_Dyn>(dynamic.p_offset, dynamic.p_filesz)) {
    const auto value = entry.d_un.d_val;
    if (entry.d_tag == DT_NULL) break;
    if (entry.d_tag == DT_STRTAB) found.strings = file_offset(segments, value);
    if (entry.d_tag == DT_SYMTAB) found.symbols = file_offset(segments, value);
    if (entry.d_tag == DT_STRSZ) found.string_bytes = value;
    if (entry.d_tag == DT_SONAME) found.soname = value;
    if (entry.d_tag == DT_NEEDED && found.needed.size() < kMostNeeded) found.needed.push_back(value);
  }
  return found;
}

// A range of the file.
struct Table {
  std::uint64_t offset = 0;
  std::uint64_t bytes = 0;
};

struct NamedOffset {
  std::uint64_t offset = 0;  // in the string table
  std::size_t name = 0;
};

// Where a string table holds the names asked for, also as ends of longer strings, as linkers merge them. The table is
// read piece by piece: node's takes 7 MB, and memory touched here is memswell's own.
std::vector<NamedOffset> find_names(const ElfReader& file, Table table, const std::vector<std::string>& names) {
  constexpr std::uint64_t kPiece = 64 * 1024;
  constexpr std::uint64_t kOverlap = 64;  // longer than any name
  std::vector<NamedOffset> found;
  for (std::uint64_t at = 0; at < std::min(table.bytes, kLongestTable); at += kPiece - kOverlap) {
    const auto chars = file.table<char>(table.offset + at, std::min(table.bytes - at, kPiece));
    if (chars.empty()) break;
    const std::string_view piece(chars.data(), chars.size());
    for (auto end = piece.find('\0'); end != std::string_view::npos; end = piece.find('\0', end + 1)) {
      for (std::size_t i = 0; i < names.size(); ++i) {
        if (piece.substr(0, end).ends_with(names[i])) found.push_back({at + end - names[i].size(), i});
      }
    }
  }
  std::ranges::sort(found, {}, &NamedOffset::offset);
  return found;
}

void add_defined(const ElfReader& file, Table symbols, Table strings, const std::vector<std::string>& names,
                 std::vector<std::string>& out) {
  constexpr std::uint64_t kPiece = 1024 * sizeof(Elf64_Sym);
  const auto offsets = find_names(file, strings, names);
  while (!offsets.empty() && symbols.bytes >= sizeof(Elf64_Sym)) {
    const auto piece = file.table<Elf64_Sym>(symbols.offset, std::min(symbols.bytes, kPiece));
    if (piece.empty()) return;
    for (const auto& symbol : piece) {
      const auto type = ELF64_ST_TYPE(symbol.st_info);
      const bool function = type == STT_FUNC || type == STT_GNU_IFUNC;
      if (symbol.st_shndx == SHN_UNDEF || !function || ELF64_ST_BIND(symbol.st_info) == STB_LOCAL) continue;
      const auto found = std::ranges::lower_bound(offsets, symbol.st_name, {}, &NamedOffset::offset);
      if (found == offsets.end() || found->offset != symbol.st_name) continue;
      if (std::ranges::find(out, names[found->name]) == out.end()) out.push_back(names[found->name]);
    }
    symbols.offset += piece.size() * sizeof(Elf64_Sym);
    symbols.bytes -= piece.size() * sizeof(Elf64_Sym);
  }
}

void read_symbol_sections(const ElfReader& file, const Elf64_Ehdr& header, const std::vector<std::string>& names,
                          ElfFacts& facts) {
  const auto sections = file.table<Elf64_Shdr>(header.e_shoff, std::uint64_t{header.e_shnum} * sizeof(Elf64_Shdr));
  for (const auto& section : sections) {
    if (section.sh_type != SHT_SYMTAB || section.sh_link >= sections.size()) continue;
    const auto& strings = sections[section.sh_link];
    add_defined(file, {section.sh_offset, section.sh_size}, {strings.sh_offset, strings.sh_size}, names, facts.defined);
    return;  // the format knows one such table a file
  }
}

void read_dynamic_facts(const ElfReader& file, const Dynamic& dynamic, const std::vector<std::string>& names,
                        ElfFacts& facts) {
  if (!dynamic.strings) return;
  const Table strings{*dynamic.strings, dynamic.string_bytes};
  const auto text = [&](std::uint64_t offset) {
    return offset < strings.bytes ? file.text(strings.offset + offset, strings.bytes - offset) : std::string();
  };
  for (const auto needed : dynamic.needed) facts.needed.push_back(text(needed));
  if (dynamic.soname) facts.soname = text(*dynamic.soname);
  // Nothing in a dynamic segment tells the number of symbols; all linkers put the strings right behind them.
  if (!dynamic.symbols || *dynamic.symbols >= strings.offset) return;
  add_defined(file, {*dynamic.symbols, strings.offset - *dynamic.symbols}, strings, names, facts.exported);
}

bool is_native(const Elf64_Ehdr& header) {
  return header.e_ident[EI_CLASS] == ELFCLASS64 && header.e_ident[EI_DATA] == kOwnByteOrder &&
         header.e_machine == kOwnMachine;
}

}  // namespace

Result<ElfFacts> read_elf_facts(const std::string& path, const std::vector<std::string>& names) {
  UniqueFd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  struct stat status {};
  if (!fd || ::fstat(fd.get(), &status) != 0) return Error{"cannot open " + path + ": " + std::strerror(errno)};
  if (!S_ISREG(status.st_mode)) return Error{path + " is not a regular file"};
  const ElfReader file(std::move(fd), static_cast<std::uint64_t>(status.st_size));
  Elf64_Ehdr header{};
  const bool is_elf = file.read(0, header.e_ident, EI_NIDENT) && std::memcmp(header.e_ident, ELFMAG, SELFMAG) == 0;
  if (!is_elf) return Error{path + " is not an ELF file"};
  ElfFacts facts;
  const bool whole = file.read(0, &header, sizeof header);
  facts.native = whole && is_native(header);
  if (!facts.native) return facts;
  const auto segments = file.table<Elf64_Phdr>(header.e_phoff, std::uint64_t{header.e_phnum} * sizeof(Elf64_Phdr));
  if (header.e_phentsize != sizeof(Elf64_Phdr) || segments.empty()) return Error{path + " has no readable segments"};
  for (const auto& segment : segments) {
    if (segment.p_type == PT_INTERP) {
      facts.has_interpreter = true;
      facts.interpreter = file.text(segment.p_offset, segment.p_filesz);
    }
    if (segment.p_type == PT_DYNAMIC) read_dynamic_facts(file, read_dynamic(file, segments, segment), names, facts);
  }
  if (header.e_shentsize == sizeof(Elf64_Shdr)) read_symbol_sections(file, header, names, facts);
  return facts;
}

}  // namespace memswell::smaps
