#include "symbols/dwarf_scopes.h"

#include <dwarf.h>

#include <utility>

#include "symbols/demangle.h"

namespace memswell::symbols {
namespace {

constexpr unsigned kDeepestNesting = 512;  // of entries; GCC's deepest inlining stays below 100

const char* text_attribute(Dwarf_Die* entry, unsigned name) {
  Dwarf_Attribute attribute;
  return dwarf_attr_integrate(entry, name, &attribute) ? dwarf_formstring(&attribute) : nullptr;
}

// The mangled name first: it carries the scope and the parameters. A linkage name that is not mangled is an alias
// (__GI___libc_malloc), the source's own name says more. Both follow abstract_origin and specification.
std::string function_name(Dwarf_Die* entry) {
  for (const unsigned attribute : {DW_AT_linkage_name, DW_AT_MIPS_linkage_name}) {
    const char* mangled = text_attribute(entry, attribute);
    if (mangled && may_be_mangled(mangled)) return mangled;
  }
  const char* name = text_attribute(entry, DW_AT_name);
  return name ? name : "";
}

bool names_functions_in_types(int language) {
  switch (language) {
    case DW_LANG_C:
    case DW_LANG_C89:
    case DW_LANG_C99:
    case DW_LANG_C11:
    case DW_LANG_C_plus_plus:
    case DW_LANG_C_plus_plus_03:
    case DW_LANG_C_plus_plus_11:
    case DW_LANG_C_plus_plus_14: return false;  // definitions stand outside and refer to the type by specification
    default: return true;
  }
}

std::uint64_t unsigned_attribute(Dwarf_Die* entry, unsigned name) {
  Dwarf_Attribute attribute;
  Dwarf_Word value = 0;
  if (!dwarf_attr(entry, name, &attribute) || dwarf_formudata(&attribute, &value) != 0) return 0;
  return value;
}

}  // namespace

DwarfScopes::DwarfScopes(Dwarf_Die unit, Dwarf_Die tree, const IsCode& is_code)
    : unit_(unit), is_code_(is_code), functions_in_types_(names_functions_in_types(dwarf_srclang(&tree))) {
  walk(tree, kNone, 0);
  map_ = AddressMap(std::exchange(ranges_, {}));
  std::size_t count = 0;
  if (dwarf_getsrcfiles(&tree, &files_, &count) != 0) files_ = nullptr;
}

// Offsets must grow from sibling to sibling: in a damaged file DW_AT_sibling may lead backwards, for ever.
void DwarfScopes::walk(Dwarf_Die entry, std::uint32_t scope, unsigned depth) {
  Dwarf_Die child;
  if (depth > kDeepestNesting || dwarf_child(&entry, &child) != 0) return;
  Dwarf_Off last = 0;
  do {
    const Dwarf_Off offset = dwarf_dieoffset(&child);
    if (offset <= last) return;
    last = offset;
    visit(child, scope, depth + 1);
  } while (dwarf_siblingof(&child, &child) == 0);
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

bool DwarfScopes::may_hold_functions(int tag) const {
  switch (tag) {
    case DW_TAG_namespace:
    case DW_TAG_module:
    case DW_TAG_lexical_block:
    case DW_TAG_try_block:
    case DW_TAG_catch_block:
    case DW_TAG_common_block: return true;
    case DW_TAG_structure_type:
    case DW_TAG_class_type:
    case DW_TAG_union_type:
    case DW_TAG_enumeration_type: return functions_in_types_;
    default: return false;
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

void DwarfScopes::set_place(trace::SourceFrame& level, Address address) {
  Dwarf_Line* row = dwarf_getsrc_die(&unit_, address);
  if (!row) return;
  int line = 0;
  if (const char* file = dwarf_linesrc(row, nullptr, nullptr)) level.file = file;
  if (dwarf_lineno(row, &line) == 0 && line > 0) level.line = static_cast<std::uint32_t>(line);
}

// Where the outer function calls the inlined one.
void DwarfScopes::set_call_place(trace::SourceFrame& level, Dwarf_Die* inlined) {
  const std::uint64_t file = unsigned_attribute(inlined, DW_AT_call_file);
  if (const char* name = files_ ? dwarf_filesrc(files_, file, nullptr, nullptr) : nullptr) level.file = name;
  level.line = static_cast<std::uint32_t>(unsigned_attribute(inlined, DW_AT_call_line));
}

std::vector<trace::SourceFrame> DwarfScopes::levels_at(Address address) {
  std::vector<trace::SourceFrame> levels(1);
  set_place(levels.back(), address);
  for (std::uint32_t id = map_.find(address).value_or(kNone); id != kNone; id = scopes_[id].outer) {
    Scope& scope = scopes_[id];
    levels.back().function = function_name(&scope.die);
    if (!scope.inlined) break;
    set_call_place(levels.emplace_back(), &scope.die);
  }
  return levels;
}

}  // namespace memswell::symbols
