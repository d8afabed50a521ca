#include "symbols/build_id.h"

#include <elf.h>
#include <unistd.h>

#include <bit>
#include <cstring>

namespace memswell::symbols {
namespace {

constexpr std::size_t kMostNoteBytes = 64 * 1024;
constexpr std::size_t kMostBuildIdBytes = 64;

bool read_exactly(int fd, void* to, std::size_t bytes, std::uint64_t offset) {
  return pread(fd, to, bytes, static_cast<off_t>(offset)) == static_cast<ssize_t>(bytes);
}

std::size_t aligned(std::size_t value, std::size_t alignment) {
  return (value + alignment - 1) / alignment * alignment;
}

// Notes are {name size, content size, type, name, content}, padded to 4 bytes, or to 8 in segments that say so.
BuildId find_in_notes(std::span<const std::uint8_t> notes, std::size_t alignment) {
  while (notes.size() >= sizeof(Elf64_Nhdr)) {
    Elf64_Nhdr header;  // same layout in both classes
    std::memcpy(&header, notes.data(), sizeof header);
    const std::size_t content = aligned(sizeof header + header.n_namesz, alignment);
    const std::size_t end = content + header.n_descsz;
    if (end > notes.size()) return {};
    const bool is_gnu = header.n_namesz == 4 && std::memcmp(notes.data() + sizeof header, "GNU", 4) == 0;
    if (is_gnu && header.n_type == NT_GNU_BUILD_ID && header.n_descsz <= kMostBuildIdBytes) {
      const auto id = notes.subspan(content, header.n_descsz);
      return {id.begin(), id.end()};
    }
    notes = notes.subspan(std::min(aligned(end, alignment), notes.size()));
  }
  return {};
}

template <class Header, class Segment>
BuildId find_in_segments(int fd) {
  Header header;
  if (!read_exactly(fd, &header, sizeof header, 0) || header.e_phentsize != sizeof(Segment)) return {};
  for (std::uint64_t i = 0; i < header.e_phnum; ++i) {
    Segment segment;
    if (!read_exactly(fd, &segment, sizeof segment, header.e_phoff + i * sizeof segment)) return {};
    if (segment.p_type != PT_NOTE || segment.p_filesz > kMostNoteBytes) continue;
    std::vector<std::uint8_t> notes(segment.p_filesz);
    if (!read_exactly(fd, notes.data(), notes.size(), segment.p_offset)) continue;
    if (auto id = find_in_notes(notes, segment.p_align == 8 ? 8 : 4); !id.empty()) return id;
  }
  return {};
}

}  // namespace

BuildId read_build_id(int fd) {
  constexpr auto kOwnOrder = std::endian::native == std::endian::little ? ELFDATA2LSB : ELFDATA2MSB;
  unsigned char identity[EI_NIDENT];
  if (!read_exactly(fd, identity, sizeof identity, 0) || std::memcmp(identity, ELFMAG, SELFMAG) != 0) return {};
  if (identity[EI_DATA] != kOwnOrder) return {};
  switch (identity[EI_CLASS]) {
    case ELFCLASS64: return find_in_segments<Elf64_Ehdr, Elf64_Phdr>(fd);
    case ELFCLASS32: return find_in_segments<Elf32_Ehdr, Elf32_Phdr>(fd);
    default: return {};
  }
}

std::string hex(std::span<const std::uint8_t> bytes) {
  constexpr char kDigits[] = "0123456789abcdef";
  std::string text;
  text.reserve(bytes.size() * 2);
  for (const std::uint8_t byte : bytes) {
    text += kDigits[byte >> 4];
    text += kDigits[byte & 15];
  }
  return text;
}

}  // namespace memswell::symbols
