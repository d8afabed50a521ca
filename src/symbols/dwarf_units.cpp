#include "symbols/dwarf_units.h"

#include <dwarf.h>

#include <algorithm>

namespace memswell::symbols {
namespace {

// libdw keeps every line table that it has read (about 40 bytes a row) until its handle is closed.
constexpr std::size_t kMostRows = 8'000'000;

bool is_program_unit(std::uint8_t type) {
  return type == DW_UT_compile || type == DW_UT_skeleton || type == DW_UT_partial;
}

}  // namespace

std::unique_ptr<DwarfUnits> DwarfUnits::open(const ElfFile& file, std::vector<ElfFile::Range> code) {
  std::unique_ptr<Dwarf, End> dwarf(dwarf_begin_elf(file.handle(), DWARF_C_READ, nullptr));
  if (!dwarf) return nullptr;
  std::unique_ptr<DwarfUnits> units(new DwarfUnits(std::move(dwarf), file.handle(), std::move(code)));
  if (units->units_.empty()) return nullptr;
  return units;
}

DwarfUnits::DwarfUnits(std::unique_ptr<Dwarf, End> dwarf, Elf* elf, std::vector<ElfFile::Range> code)
    : dwarf_(std::move(dwarf)),
      elf_(elf),
      code_(std::move(code)),
      is_code_([this](Address address) { return is_code(address); }) {
  list_units();
}

bool DwarfUnits::is_code(Address address) const {
  return std::any_of(code_.begin(), code_.end(),
                     [&](const ElfFile::Range& range) { return range.begin <= address && address < range.end; });
}

// By the units' own ranges: .debug_aranges is optional, and clang leaves it out.
void DwarfUnits::list_units() {
  std::vector<AddressRange> ranges;
  Dwarf_CU* unit = nullptr;
  Dwarf_Die entry, split;
  std::uint8_t type = 0;
  while (dwarf_get_units(dwarf_.get(), unit, &unit, nullptr, &type, &entry, &split) == 0) {
    if (!is_program_unit(type)) continue;
    const auto id = static_cast<std::uint32_t>(units_.size());
    const bool found_split = type == DW_UT_skeleton && split.addr != nullptr;
    units_.push_back({dwarf_dieoffset(&entry), found_split});
    if (type == DW_UT_skeleton && !found_split) lacks_split_units_ = true;
    Dwarf_Addr base = 0, begin = 0, end = 0;
    for (ptrdiff_t next = 0; (next = dwarf_ranges(&entry, next, &base, &begin, &end)) > 0;) {
      if (begin < end && is_code(begin)) ranges.push_back({begin, end, {begin, UINT64_MAX - end}, id});
    }
  }
  map_ = AddressMap(std::move(ranges));
}

// A unit without ranges of its own may still be listed in .debug_aranges.
std::optional<std::uint32_t> DwarfUnits::unit_at(Address address) {
  if (const auto found = map_.find(address)) return found;
  Dwarf_Die entry;
  if (!dwarf_addrdie(dwarf_.get(), address, &entry)) return std::nullopt;
  const Dwarf_Off offset = dwarf_dieoffset(&entry);
  const auto at = std::lower_bound(units_.begin(), units_.end(), offset,
                                   [](const Unit& unit, Dwarf_Off value) { return unit.offset < value; });
  if (at == units_.end() || at->offset != offset) return std::nullopt;
  return static_cast<std::uint32_t>(at - units_.begin());
}

void DwarfUnits::load(std::uint32_t unit) {
  scopes_.reset();
  loaded_.reset();
  if (rows_read_ > kMostRows) {
    dwarf_.reset();
    dwarf_.reset(dwarf_begin_elf(elf_, DWARF_C_READ, nullptr));
    rows_read_ = 0;
  }
  Dwarf_Die entry;
  if (!dwarf_ || !dwarf_offdie(dwarf_.get(), units_[unit].offset, &entry)) return;
  Dwarf_Die tree = entry;
  if (units_[unit].split) {
    Dwarf_Die split;
    if (dwarf_cu_info(entry.cu, nullptr, nullptr, nullptr, &split, nullptr, nullptr, nullptr) == 0 && split.addr)
      tree = split;
  }
  scopes_.emplace(entry, tree, is_code_);
  loaded_ = unit;
  Dwarf_Lines* lines = nullptr;
  std::size_t rows = 0;
  if (dwarf_getsrclines(&entry, &lines, &rows) == 0) rows_read_ += rows;
}

std::vector<trace::SourceFrame> DwarfUnits::levels_at(Address address, const char* symbol) {
  const auto unit = unit_at(address);
  if (!unit) return {};
  if (loaded_ != unit) load(*unit);
  if (loaded_ != unit) return {};
  return scopes_->levels_at(address, symbol);
}

}  // namespace memswell::symbols
