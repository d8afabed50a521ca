#include "symbols/demangle.h"

#define HAVE_DECL_BASENAME 1  // else libiberty.h declares basename() at odds with <string.h>
#include <libiberty/demangle.h>

#include <cstdlib>
#include <cstring>
#include <memory>

namespace memswell::symbols {
namespace {

// libiberty bounds its recursion, but its output may grow with the square of its input.
constexpr std::size_t kLongestMangledName = 16 * 1024;
constexpr int kOptions = DMGL_PARAMS | DMGL_ANSI | DMGL_AUTO | DMGL_RET_DROP;

struct Free {
  void operator()(char* text) const { std::free(text); }  // libiberty hands out malloc'ed memory
};

}  // namespace

bool may_be_mangled(const char* name) { return name[0] == '_' && (name[1] == 'Z' || name[1] == 'R' || name[1] == 'D'); }

std::string demangle(const char* name) {
  if (!may_be_mangled(name) || strnlen(name, kLongestMangledName) == kLongestMangledName) return name;
  const std::unique_ptr<char, Free> demangled(cplus_demangle(name, kOptions));
  return demangled ? std::string(demangled.get()) : std::string(name);
}

}  // namespace memswell::symbols
