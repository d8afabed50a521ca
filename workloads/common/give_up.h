// The end of a workload that cannot be: one sentence on stderr, status 2, no figures.
#pragma once

#include <cstdlib>

#include "common/text.h"

namespace workload {

inline const char*& program_name() {
  static const char* name = "workload";
  return name;
}

// When the machine cannot give what the numbers on the command line ask for.
[[noreturn, gnu::noinline, gnu::cold]] inline void give_up(const char* what, std::uint64_t bytes) {
  Text<256> line;
  line.add(program_name()).add(": there is no room for ").add(bytes).add(" bytes (").add(what);
  line.add("); give smaller numbers\n");
  line.write_to(2);
  std::_Exit(2);
}

}  // namespace workload
