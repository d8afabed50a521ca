#include "symbols/dwarf_names.h"

#include <dwarf.h>

#include "symbols/demangle.h"
#include "symbols/dwarf_walk.h"

namespace memswell::symbols {
namespace {

constexpr int kLongestChain = 16;           // of references from entry to entry
constexpr unsigned kMostScopes = 64;        // in one name
constexpr std::size_t kLongestName = 8192;  // template arguments within template arguments

const char* mangled_name(Dwarf_Die* function) {
  for (const unsigned name : {DW_AT_linkage_name, DW_AT_MIPS_linkage_name}) {
    Dwarf_Attribute attribute;
    const char* text = dwarf_attr_integrate(function, name, &attribute) ? dwarf_formstring(&attribute) : nullptr;
    if (text && may_be_mangled(text)) return text;  // else an alias: __GI___libc_malloc; the source's name says more
  }
  return nullptr;
}

// The entry that was declared first, inside the scopes that it belongs to.
Dwarf_Die declaration_of(Dwarf_Die entry) {
  for (int i = 0; i < kLongestChain; ++i) {
    Dwarf_Attribute attribute;
    Dwarf_Die next;
    if (!dwarf_attr(&entry, DW_AT_abstract_origin, &attribute) && !dwarf_attr(&entry, DW_AT_specification, &attribute))
      break;
    if (!dwarf_formref_die(&attribute, &next)) break;
    entry = next;
  }
  return entry;
}

bool is_scope(int tag) {
  switch (tag) {
    case DW_TAG_namespace:
    case DW_TAG_module:
    case DW_TAG_structure_type:
    case DW_TAG_class_type:
    case DW_TAG_union_type:
    case DW_TAG_enumeration_type:
    case DW_TAG_interface_type:
    case DW_TAG_subprogram: return true;
    default: return false;
  }
}

std::string own_name(Dwarf_Die* entry) {
  if (const char* name = dwarf_diename(entry)) return name;
  return dwarf_tag(entry) == DW_TAG_namespace ? "(anonymous namespace)" : "{unnamed}";
}

// Names of C stand alone. Everybody else has scopes.
bool has_scopes(Dwarf_Die* entry) {
  Dwarf_Die unit;
  if (!dwarf_diecu(entry, &unit, nullptr, nullptr)) return false;
  switch (dwarf_srclang(&unit)) {
    case DW_LANG_C:
    case DW_LANG_C89:
    case DW_LANG_C99:
    case DW_LANG_C11:
    case DW_LANG_Mips_Assembler: return false;
    default: return true;
  }
}

}  // namespace

std::string DwarfNames::name_of(Dwarf_Die* function, const char* symbol) {
  if (const char* mangled = mangled_name(function)) return mangled;
  if (symbol && may_be_mangled(symbol)) return symbol;
  Dwarf_Die declaration = declaration_of(*function);
  const char* name = dwarf_diename(&declaration);
  if (!name) return {};
  return has_scopes(&declaration) ? qualified(declaration, 0) : name;
}

std::string DwarfNames::qualified(Dwarf_Die entry, unsigned depth) {
  Dwarf_Die declaration = declaration_of(entry);
  std::string name = own_name(&declaration);
  const Dwarf_Die* parent = depth < kMostScopes ? parent_of(&declaration) : nullptr;
  if (!parent) return name;
  const std::string scope = qualified(*parent, depth + 1);
  return scope.size() + name.size() < kLongestName ? scope + "::" + name : name;
}

const Dwarf_Die* DwarfNames::parent_of(Dwarf_Die* entry) {
  Dwarf_Die unit;
  if (!dwarf_diecu(entry, &unit, nullptr, nullptr)) return nullptr;
  if (indexed_units_.try_emplace(unit.addr, true).second) index(unit, 0);
  const auto parent = parents_.find(entry->addr);
  return parent == parents_.end() ? nullptr : &parent->second;
}

// What stands at the top of a unit is left out: it has no scope to be named after.
void DwarfNames::index(Dwarf_Die parent, unsigned depth) {
  if (depth > kDeepestNesting) return;
  const bool top = depth == 0;
  for_each_child(parent, [&](Dwarf_Die child) {
    const int tag = dwarf_tag(&child);
    if (tag == DW_TAG_lexical_block) {
      for_each_child(child, [&](Dwarf_Die local) {
        if (!is_scope(dwarf_tag(&local))) return;
        if (!top) parents_.try_emplace(local.addr, parent);
        index(local, depth + 1);
      });
    }
    if (!is_scope(tag)) return;
    if (!top) parents_.try_emplace(child.addr, parent);
    index(child, depth + 1);
  });
}

}  // namespace memswell::symbols
