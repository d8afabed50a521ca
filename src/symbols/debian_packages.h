// Which package would supply what a module lacks: dpkg's lists say who owns its file, and Debian's rule names the
// package with the debug information. Where dpkg is not in charge of a file there is no answer.
#pragma once

#include <map>
#include <string>
#include <vector>

namespace memswell::symbols {

// For each of `paths` that a package owns, the name of its debug package ("libc6-dbg", "libpython3.11-dbgsym").
// Reads every list once, some 30 ms on a large installation.
std::map<std::string, std::string> debug_packages(const std::vector<std::string>& paths,
                                                  const std::string& lists = "/var/lib/dpkg/info");

}  // namespace memswell::symbols
