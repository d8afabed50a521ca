#include "module_headers.h"

#include "memory.h"
#include "process.h"

namespace memswell::probe {

ModuleHeaders module_headers(const ModuleOfPc& m) {
  // The kernel tells where the executable's are; its first mapping need not hold them.
  if (m.path != nullptr && *m.path == 0) {
    return {reinterpret_cast<const Elf64_Phdr*>(process.executable_headers), process.executable_header_count};
  }
  const auto* elf = reinterpret_cast<const Elf64_Ehdr*>(m.begin);
  if (!equal_bytes(elf->e_ident, ELFMAG, SELFMAG) || elf->e_phentsize != sizeof(Elf64_Phdr)) return {};
  if (elf->e_phoff + elf->e_phnum * sizeof(Elf64_Phdr) > format::kPageBytes) return {};
  return {reinterpret_cast<const Elf64_Phdr*>(m.begin + elf->e_phoff), elf->e_phnum};
}

}  // namespace memswell::probe
