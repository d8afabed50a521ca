// Where a module's debug information may lie outside of it, in the order in which gdb looks ("Separate Debug Files"):
// by build-id, by .gnu_debuglink beside the module, in its .debug/, and under the debug directories; on request
// debuginfod.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "symbols/elf_file.h"

namespace memswell::symbols {

struct DebugFile {
  std::string path;
  ElfFile file;
};

struct DebugFileSearch {
  std::vector<std::string> directories{"/usr/lib/debug"};
  bool debuginfod = false;  // ask the servers of DEBUGINFOD_URLS, which tells them what one runs
};

// The first file that is proven to belong to the module: same build-id, or without one the checksum in .gnu_debuglink.
// Every path tried is appended to `tried`, so that a cache knows what would change the outcome.
std::optional<DebugFile> find_debug_file(const std::string& module_path, const ElfFile& module,
                                         const DebugFileSearch& search, std::vector<std::string>& tried);

}  // namespace memswell::symbols
