// The name of a function's entry in DWARF. Compilers leave out the linkage name of what has internal linkage (anything
// that involves an anonymous namespace or a local type); then the scopes around the declaration make the name, without
// parameters: "shop::(anonymous namespace)::hidden". For that a unit's scopes are indexed once, when first needed.
#pragma once

#include <elfutils/libdw.h>

#include <string>
#include <unordered_map>

namespace memswell::symbols {

class DwarfNames {
 public:
  // As in the file, so mostly mangled. `symbol` is what the symbol table calls the place, if it is a mangled name that
  // may stand in for a missing one; else null. Empty: the entry has no name.
  std::string name_of(Dwarf_Die* function, const char* symbol);

 private:
  std::string qualified(Dwarf_Die entry, unsigned depth);
  const Dwarf_Die* parent_of(Dwarf_Die* entry);
  void index(Dwarf_Die parent, unsigned depth);

  std::unordered_map<const void*, Dwarf_Die> parents_;  // by address of the entry's bytes
  std::unordered_map<const void*, bool> indexed_units_;
};

}  // namespace memswell::symbols
