// Function names by address, from the symbol tables of a module and of what belongs to it (.symtab, .dynsym,
// .gnu_debugdata). Sizes are kept to: behind the end of a function its name does not hold, unless its size is unknown
// (0). Of several names of one place the global one wins, then the one with fewer leading underscores.
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <vector>

#include "symbols/address_map.h"
#include "symbols/elf_file.h"

namespace memswell::symbols {

class SymbolTable {
 public:
  // Names point into `file`, which must outlive the table. Returns how many functions it had.
  std::size_t add(const ElfFile& file, std::uint32_t section_type);  // SHT_SYMTAB or SHT_DYNSYM
  void add_plt(const ElfFile& file);                                 // "name@plt" for the stubs of the linkage table
  void seal();                                                       // after the last add, before the first find

  const char* find(std::uint64_t address) const;  // as in the file, mangled; null: no function there

 private:
  struct Symbol {
    const char* name;
    std::uint64_t address;
    std::uint64_t size;
    std::uint64_t limit;  // end of its section
    std::uint32_t rank;   // higher is better
  };
  std::vector<AddressRange> sized_ranges() const;
  void add_unsized_ranges(std::vector<AddressRange>& ranges) const;

  std::vector<Symbol> symbols_;
  std::deque<std::string> made_names_;
  AddressMap map_;
};

}  // namespace memswell::symbols
