#include "symbols/demangle.h"

#define HAVE_DECL_BASENAME 1  // else libiberty.h declares basename() at odds with <string.h>
#include <libiberty/demangle.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string_view>

namespace memswell::symbols {
namespace {

// libiberty bounds its recursion, but its output may grow with the square of its input.
constexpr std::size_t kLongestMangledName = 16 * 1024;
constexpr int kOptions = DMGL_PARAMS | DMGL_ANSI | DMGL_AUTO | DMGL_RET_DROP;

// What compilers append to the parts and copies that they make of one function. libiberty would print " [clone .cold]".
constexpr std::string_view kCloneSuffixes[] = {".cold",      ".part.", ".constprop.", ".isra.",
                                               ".lto_priv.", ".llvm.", ".localalias"};

std::string without_clone_suffixes(std::string_view name) {
  std::size_t end = name.size();
  for (const std::string_view suffix : kCloneSuffixes) end = std::min(end, name.find(suffix, 1));
  return std::string(name.substr(0, end));
}

struct Free {
  void operator()(char* text) const { std::free(text); }  // libiberty hands out malloc'ed memory
};

}  // namespace

bool may_be_mangled(const char* name) { return name[0] == '_' && (name[1] == 'Z' || name[1] == 'R' || name[1] == 'D'); }

std::string demangle(const char* name) {
  if (strnlen(name, kLongestMangledName) == kLongestMangledName) return name;
  const std::string whole = without_clone_suffixes(name);
  if (!may_be_mangled(whole.c_str())) return whole;
  const std::unique_ptr<char, Free> demangled(cplus_demangle(whole.c_str(), kOptions));
  return demangled ? std::string(demangled.get()) : whole;
}

}  // namespace memswell::symbols
