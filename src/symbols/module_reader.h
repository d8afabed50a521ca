// Reads the names of addresses out of the files of one module: the best that these files give, from source lines and
// inlined levels down to exported functions, and a note that says which. It trusts no file, but libelf and libdw are
// large; callers run it in a child process (isolated_work.h).
#pragma once

#include <string>
#include <vector>

#include "base/ids.h"
#include "symbols/debug_file_search.h"
#include "symbols/name_table.h"

namespace memswell::symbols {

enum class ReadDepth { debug_info, symbol_tables };

struct ReadRequest {
  std::string path;
  BuildId build_id;                // as recorded; empty: the module had none, then the file cannot be checked
  std::vector<Address> addresses;  // in the ELF file, ascending
  DebugFileSearch search;
  ReadDepth depth = ReadDepth::debug_info;
};

// Holds every address of the request, unless the file is not the recorded module: then none, and the note says why.
NameTable read_names(const ReadRequest& request);

// Why the file at `path` cannot be the recorded module, in one sentence; empty if it is, or if that cannot be told.
std::string why_not_recorded_file(const std::string& path, const BuildId& recorded);

}  // namespace memswell::symbols
