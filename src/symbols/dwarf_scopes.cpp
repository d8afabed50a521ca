#include "symbols/dwarf_scopes.h"

#include <dwarf.h>

#include <filesystem>
#include <utility>

#include "symbols/dwarf_walk.h"

namespace memswell::symbols {
namespace {

// Types too: GCC puts the code of a lambda into its closure type, Rust and D that of methods into theirs.
bool may_hold_functions(int tag) {
  switch (tag) {
    case DW_TAG_namespace:
    case DW_TAG_module:
    case DW_TAG_lexical_block:
    case DW_TAG_try_block:
    case DW_TAG_catch_block:
    case DW_TAG_structure_type:
    case DW_TAG_class_type:
    case DW_TAG_union_type:
    case DW_TAG_enumeration_type: return true;
    default: return false;
  }
}

std::uint64_t unsigned_attribute(Dwarf_Die* entry, unsigned name) {
  Dwarf_Attribute attribute;
  Dwarf_Word value = 0;
  if (!dwarf_attr(entry, name, &attribute) || dwarf_formudata(&attribute, &value) != 0) return 0;
  return value;
}

}  // namespace

DwarfScopes::DwarfScopes(Dwarf_Die unit, Dwarf_Die tree, const IsCode& is_code) : unit_(unit), is_code_(is_code) {
  walk(tree, kNone, 0);
  map_ = AddressMap(std::exchange(ranges_, {}));
  Dwarf_Attribute directory;
  if (dwarf_attr(&unit_, DW_AT_comp_dir, &directory)) directory_ = dwarf_formstring(&directory);
  std::size_t count = 0;
  if (dwarf_getsrcfiles(&tree, &files_, &count) != 0) files_ = nullptr;
}

void DwarfScopes::walk(Dwarf_Die entry, std::uint32_t scope, unsigned depth) {
  if (depth > kDeepestNesting) return;
  for_each_child(entry, [&](Dwarf_Die child) { visit(child, scope, depth + 1); });
}

void DwarfScopes::visit(Dwarf_Die entry, std::uint32_t scope, unsigned depth) {
  const int tag = dwarf_tag(&entry);
  const bool function = tag == DW_TAG_subprogram || tag == DW_TAG_inlined_subroutine;
  if (function) {
    walk(entry, add_scope(entry, scope, depth), depth);
  } else if (may_hold_functions(tag)) {
    walk(entry, scope, depth);
  }
}

// The deeper scope holds; of two at one depth (identical code folded into one function) the first.
std::uint32_t DwarfScopes::add_scope(const Dwarf_Die& entry, std::uint32_t outer, unsigned depth) {
  Dwarf_Die die = entry;
  const auto id = static_cast<std::uint32_t>(scopes_.size());
  bool any = false;
  Dwarf_Addr base = 0, begin = 0, end = 0;
  for (ptrdiff_t next = 0; (next = dwarf_ranges(&die, next, &base, &begin, &end)) > 0;) {
    if (begin >= end || !is_code_(begin)) continue;
    ranges_.push_back({begin, end, {depth, kNone - id}, id});
    any = true;
  }
  if (!any) return outer;
  scopes_.push_back({entry, outer, dwarf_tag(&die) == DW_TAG_inlined_subroutine});
  return id;
}

// libdw leaves names relative that the compiler was given relatively (ccache, reproducible builds).
std::string DwarfScopes::absolute(const char* file) const {
  if (!file) return {};
  if (file[0] == '/' || !directory_ || directory_[0] != '/') return file;
  return (std::filesystem::path(directory_) / file).lexically_normal().string();
}

void DwarfScopes::set_place(trace::SourceFrame& level, Address address) {
  Dwarf_Line* row = dwarf_getsrc_die(&unit_, address);
  if (!row) return;
  int line = 0;
  level.file = absolute(dwarf_linesrc(row, nullptr, nullptr));
  if (dwarf_lineno(row, &line) == 0 && line > 0) level.line = static_cast<std::uint32_t>(line);
}

// Where the outer function calls the inlined one.
void DwarfScopes::set_call_place(trace::SourceFrame& level, Dwarf_Die* inlined) {
  const std::uint64_t file = unsigned_attribute(inlined, DW_AT_call_file);
  if (files_) level.file = absolute(dwarf_filesrc(files_, file, nullptr, nullptr));
  level.line = static_cast<std::uint32_t>(unsigned_attribute(inlined, DW_AT_call_line));
}

std::vector<trace::SourceFrame> DwarfScopes::levels_at(Address address, const char* symbol) {
  std::vector<trace::SourceFrame> levels(1);
  set_place(levels.back(), address);
  for (std::uint32_t id = map_.find(address).value_or(kNone); id != kNone; id = scopes_[id].outer) {
    Scope& scope = scopes_[id];
    levels.back().function = names_.name_of(&scope.die, scope.inlined ? nullptr : symbol);
    if (!scope.inlined) return levels;
    set_call_place(levels.emplace_back(), &scope.die);
  }
  if (symbol) levels.back().function = symbol;  // no entry in the unit has this place
  return levels;
}

}  // namespace memswell::symbols
