// Names as people write them: C++ (Itanium ABI), Rust (v0, and the legacy scheme without its hash) and D, by libiberty.
// `__cxa_demangle` is not enough: it fails on Rust v0.
#pragma once

#include <string>

namespace memswell::symbols {

// By its prefix: _Z, _R or _D.
bool may_be_mangled(const char* name);

// Without return types, which libiberty prints for templates only and which hide the scope that a name begins with.
// A name that is not mangled, or not validly, comes back as it is. Parts and copies of a function that a compiler made
// ("f.cold", "f.constprop.0") are named as the function.
std::string demangle(const char* name);

}  // namespace memswell::symbols
