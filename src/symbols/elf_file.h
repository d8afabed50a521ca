// An ELF file opened for reading by libelf: descriptor and handle with one owner.
// Everything that libelf returns lives as long as this object. Not to be shared between threads.
#pragma once

#include <libelf.h>

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "base/unique_fd.h"
#include "symbols/build_id.h"

namespace memswell::symbols {

class ElfFile {
 public:
  // Regular files only: never blocks on a FIFO or a device. The error says why, without the path.
  static Result<ElfFile> open(const std::string& path);
  // .gnu_debugdata: an ELF file of symbols, compressed with xz.
  static Result<ElfFile> unpack(std::span<const std::uint8_t> compressed);

  ElfFile(ElfFile&& other) noexcept : fd_(std::move(other.fd_)), elf_(std::exchange(other.elf_, nullptr)) {}
  ElfFile& operator=(ElfFile&& other) noexcept {
    std::swap(fd_, other.fd_);
    std::swap(elf_, other.elf_);
    return *this;
  }
  ~ElfFile();

  Elf* handle() const { return elf_; }
  int fd() const { return fd_.get(); }

  BuildId build_id() const;
  Elf_Scn* section(std::string_view name) const;   // null: not there
  bool has_contents(std::string_view name) const;  // there, and not an empty shell of a separate debug file
  std::span<const std::uint8_t> contents(std::string_view name) const;

  struct Range {
    std::uint64_t begin;
    std::uint64_t end;
  };
  std::vector<Range> executable_ranges() const;  // of the loaded segments

 private:
  ElfFile(UniqueFd fd, Elf* elf) : fd_(std::move(fd)), elf_(elf) {}

  UniqueFd fd_;
  Elf* elf_;
};

}  // namespace memswell::symbols
