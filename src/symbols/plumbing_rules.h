// The table behind plumbing.h: names and modules, each with its kind.
#pragma once

#include <span>
#include <string_view>

#include "symbols/plumbing.h"

namespace memswell::symbols {

enum class Match {
  whole,
  prefix,
  member,  // of any class: "T::operator new"
};

enum class Where : unsigned char {
  anywhere,
  not_cxx,  // only names without a C++ parameter list: core:: is a usual namespace in C++ too
  python,   // only in modules of that name
  jvm,
};

struct NameRule {
  PlumbingKind kind;
  Match match;
  std::string_view text;
  Where where = Where::anywhere;
};

struct ModuleRule {
  PlumbingKind kind;
  std::string_view file_prefix;  // of the file name: up to a version, "libc.so"
};

std::span<const NameRule> name_rules();
std::span<const ModuleRule> module_rules();
std::span<const std::string_view> loader_prefixes();  // functions of libc that are the loader's: sites of their own

}  // namespace memswell::symbols
