// The functions of one compilation unit and what is inlined into them, by address. The unit's tree of entries is walked
// once: asking libdw for the scopes of each address anew (dwarf_getscopes) takes 13 ms an address on a 6 MB program.
#pragma once

#include <elfutils/libdw.h>

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "base/ids.h"
#include "symbols/address_map.h"
#include "symbols/dwarf_names.h"
#include "trace/events.h"

namespace memswell::symbols {

using IsCode = std::function<bool(Address)>;

class DwarfScopes {
 public:
  // `unit` owns the line and file tables, `tree` the entries; they differ for split DWARF only (skeleton and .dwo).
  // `is_code` tells leftovers of discarded functions, which linkers move to 0 or 1, from code.
  DwarfScopes(Dwarf_Die unit, Dwarf_Die tree, const IsCode& is_code);

  // Innermost level first, names mangled as in the file. Always at least one level, if only with file and line.
  // `symbol` is the symbol table's name for the place, or null: the second source for the outermost function.
  std::vector<trace::SourceFrame> levels_at(Address address, const char* symbol);

 private:
  static constexpr std::uint32_t kNone = UINT32_MAX;
  struct Scope {
    Dwarf_Die die;
    std::uint32_t outer;
    bool inlined;
  };
  void walk(Dwarf_Die entry, std::uint32_t scope, unsigned depth);
  void visit(Dwarf_Die entry, std::uint32_t scope, unsigned depth);
  std::uint32_t add_scope(const Dwarf_Die& entry, std::uint32_t outer, unsigned depth);
  std::string absolute(const char* file) const;
  void set_place(trace::SourceFrame& level, Address address);
  void set_call_place(trace::SourceFrame& level, Dwarf_Die* inlined);

  Dwarf_Die unit_;
  const IsCode& is_code_;
  std::vector<Scope> scopes_;
  std::vector<AddressRange> ranges_;
  AddressMap map_;
  const char* directory_ = nullptr;  // that the compiler ran in
  Dwarf_Files* files_ = nullptr;
  DwarfNames names_;
};

}  // namespace memswell::symbols
