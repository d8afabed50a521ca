// The debug information of one module, asked by address. Only the units that are asked for are indexed, one at a time:
// ask in ascending order of addresses and memory stays that of the largest unit.
#pragma once

#include <elfutils/libdw.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "base/ids.h"
#include "symbols/address_map.h"
#include "symbols/dwarf_scopes.h"
#include "symbols/elf_file.h"
#include "trace/events.h"

namespace memswell::symbols {

class DwarfUnits {
 public:
  // `file` holds the debug information; `code` are the executable address ranges of the module. Null: no usable DWARF.
  static std::unique_ptr<DwarfUnits> open(const ElfFile& file, std::vector<ElfFile::Range> code);

  // As DwarfScopes::levels_at; empty: no unit covers the address.
  std::vector<trace::SourceFrame> levels_at(Address address, const char* symbol);

  bool lacks_split_units() const { return lacks_split_units_; }  // a .dwo file was not found

 private:
  struct End {
    void operator()(Dwarf* handle) const { dwarf_end(handle); }
  };
  struct Unit {
    Dwarf_Off offset;  // of its first entry
    bool split;
  };
  DwarfUnits(std::unique_ptr<Dwarf, End> dwarf, Elf* elf, std::vector<ElfFile::Range> code);
  void list_units();
  std::optional<std::uint32_t> unit_at(Address address);
  void load(std::uint32_t unit);
  bool is_code(Address address) const;

  std::unique_ptr<Dwarf, End> dwarf_;
  Elf* elf_;
  std::vector<ElfFile::Range> code_;
  IsCode is_code_;
  std::vector<Unit> units_;
  AddressMap map_;
  bool lacks_split_units_ = false;
  std::optional<std::uint32_t> loaded_;
  std::optional<DwarfScopes> scopes_;
  std::size_t rows_read_ = 0;  // of line tables, since the handle was opened
};

}  // namespace memswell::symbols
