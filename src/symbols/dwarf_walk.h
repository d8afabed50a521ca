// Visits the children of an entry, safe on damaged files: offsets must grow from sibling to sibling, since
// DW_AT_sibling may lead backwards, for ever.
#pragma once

#include <elfutils/libdw.h>

namespace memswell::symbols {

inline constexpr unsigned kDeepestNesting = 512;  // of entries; GCC's deepest inlining stays below 100

template <class Visit>
void for_each_child(Dwarf_Die parent, const Visit& visit) {
  Dwarf_Die child;
  if (dwarf_child(&parent, &child) != 0) return;
  Dwarf_Off last = 0;
  do {
    const Dwarf_Off offset = dwarf_dieoffset(&child);
    if (offset <= last) return;
    last = offset;
    visit(child);
  } while (dwarf_siblingof(&child, &child) == 0);
}

}  // namespace memswell::symbols
