// The few facts of an ELF executable that decide whether a library can be preloaded into it (elf(5)). The file may be
// cut or hostile: it is read with pread, every offset is checked against its size, and tables beyond a limit are not
// read.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"

namespace memswell::smaps {

struct ElfFacts {
  bool native = false;  // class, byte order and machine of memswell itself; nothing below is known else
  bool has_interpreter = false;
  std::string interpreter;          // PT_INTERP
  std::string soname;               // DT_SONAME
  std::vector<std::string> needed;  // DT_NEEDED
  // Of the names asked for: those that the file defines for other modules too (.dynsym) …
  std::vector<std::string> exported;
  // … and those it defines in .symtab, exported or not; empty if stripped.
  std::vector<std::string> defined;
};

// An error: not a readable ELF file. Asks the symbol tables for `names`.
Result<ElfFacts> read_elf_facts(const std::string& path, const std::vector<std::string>& names);

}  // namespace memswell::smaps
