// The program headers of a loaded module, wherever they lie.
#pragma once

#include <elf.h>

#include <cstddef>

#include "call_frame_info.h"

namespace memswell::probe {

struct ModuleHeaders {
  const Elf64_Phdr* segments = nullptr;
  std::size_t count = 0;
};

// None if the module does not begin with its ELF header and is not the executable.
ModuleHeaders module_headers(const ModuleOfPc& module);

}  // namespace memswell::probe
