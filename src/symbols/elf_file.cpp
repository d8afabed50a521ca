#include "symbols/elf_file.h"

#include <elfutils/libdwelf.h>
#include <fcntl.h>
#include <gelf.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstring>

namespace memswell::symbols {
namespace {

void initialise_libelf() {
  static const bool done = elf_version(EV_CURRENT) != EV_NONE;
  (void)done;
}

bool write_all(int fd, std::span<const std::uint8_t> bytes) {
  while (!bytes.empty()) {
    const ssize_t written = write(fd, bytes.data(), bytes.size());
    if (written <= 0) return false;
    bytes = bytes.subspan(static_cast<std::size_t>(written));
  }
  return lseek(fd, 0, SEEK_SET) == 0;
}

}  // namespace

ElfFile::~ElfFile() {
  if (elf_) elf_end(elf_);
}

Result<ElfFile> ElfFile::open(const std::string& path) {
  initialise_libelf();
  UniqueFd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK));
  if (!fd) return Error{std::strerror(errno)};
  struct stat status {};
  if (fstat(fd.get(), &status) != 0 || !S_ISREG(status.st_mode)) return Error{"not a regular file"};
  Elf* elf = elf_begin(fd.get(), ELF_C_READ_MMAP, nullptr);
  if (!elf || elf_kind(elf) != ELF_K_ELF) {
    if (elf) elf_end(elf);
    return Error{"not an ELF file, or a damaged one"};
  }
  return ElfFile(std::move(fd), elf);
}

Result<ElfFile> ElfFile::unpack(std::span<const std::uint8_t> compressed) {
  initialise_libelf();
  UniqueFd fd(memfd_create("gnu_debugdata", MFD_CLOEXEC));
  if (!fd || !write_all(fd.get(), compressed)) return Error{std::strerror(errno)};
  Elf* elf = dwelf_elf_begin(fd.get());  // recognises and undoes the compression
  if (!elf || elf_kind(elf) != ELF_K_ELF) {
    if (elf) elf_end(elf);
    return Error{"not a compressed ELF file, or a damaged one"};
  }
  return ElfFile(std::move(fd), elf);
}

BuildId ElfFile::build_id() const {
  const void* bytes = nullptr;
  const ssize_t size = dwelf_elf_gnu_build_id(elf_, &bytes);
  if (size <= 0) return {};
  const auto* first = static_cast<const std::uint8_t*>(bytes);
  return {first, first + size};
}

Elf_Scn* ElfFile::section(std::string_view name) const {
  std::size_t names = 0;
  if (elf_getshdrstrndx(elf_, &names) != 0) return nullptr;
  for (Elf_Scn* section = elf_nextscn(elf_, nullptr); section; section = elf_nextscn(elf_, section)) {
    GElf_Shdr header;
    if (!gelf_getshdr(section, &header)) continue;
    const char* found = elf_strptr(elf_, names, header.sh_name);
    if (found && name == found) return section;
  }
  return nullptr;
}

bool ElfFile::has_contents(std::string_view name) const {
  GElf_Shdr header;
  Elf_Scn* found = section(name);
  return found && gelf_getshdr(found, &header) && header.sh_type != SHT_NOBITS && header.sh_size > 0;
}

std::span<const std::uint8_t> ElfFile::contents(std::string_view name) const {
  if (!has_contents(name)) return {};
  const Elf_Data* data = elf_rawdata(section(name), nullptr);
  if (!data || !data->d_buf) return {};
  return {static_cast<const std::uint8_t*>(data->d_buf), data->d_size};
}

std::vector<ElfFile::Range> ElfFile::executable_ranges() const {
  std::vector<Range> ranges;
  std::size_t count = 0;
  if (elf_getphdrnum(elf_, &count) != 0) return ranges;
  for (std::size_t i = 0; i < count; ++i) {
    GElf_Phdr segment;
    if (!gelf_getphdr(elf_, static_cast<int>(i), &segment)) break;
    const bool executable = segment.p_type == PT_LOAD && (segment.p_flags & PF_X) != 0;
    if (executable && segment.p_memsz <= UINT64_MAX - segment.p_vaddr) {
      ranges.push_back({segment.p_vaddr, segment.p_vaddr + segment.p_memsz});
    }
  }
  return ranges;
}

}  // namespace memswell::symbols
