// Debug information from the network, by elfutils' own client program `debuginfod-find`. Only ever on request.
#pragma once

#include <optional>
#include <string>

#include "symbols/build_id.h"

namespace memswell::symbols {

// Path of the fetched file in the client's cache. Empty: no such program, no servers set, or they do not have it.
std::optional<std::string> ask_debuginfod(const BuildId& id);

}  // namespace memswell::symbols
