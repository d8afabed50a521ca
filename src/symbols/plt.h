// The stubs of a module's procedure linkage table, named after what they call ("malloc@plt"), on x86-64 and aarch64.
// The n-th stub belongs to the n-th relocation of .rela.plt (System V ABI supplements).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "symbols/elf_file.h"

namespace memswell::symbols {

struct PltStub {
  std::string name;
  std::uint64_t address = 0;
  std::uint64_t size = 0;
};

std::vector<PltStub> plt_stubs(const ElfFile& file);

}  // namespace memswell::symbols
