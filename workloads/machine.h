// What of this machine decides whether the expectations of the workloads apply.
#pragma once

#include <cstdint>
#include <string>

namespace memswell::workloads {

struct Machine {
  bool glibc = false;             // the C library is, and no other allocator is preloaded
  bool small_pages = false;       // 4 KiB
  bool huge_pages_forced = false; // transparent huge pages "always"
  bool huge_pages_offered = false;
  bool swap = false;              // any
  bool zero_page = false;         // reading untouched memory does not make it resident

  // Why expectations about pages do not apply here, one sentence; empty: they do.
  std::string objection() const;
};

Machine probe_machine();

std::string compiler();  // that built the workloads: "GCC 12.2.0"

}  // namespace memswell::workloads
