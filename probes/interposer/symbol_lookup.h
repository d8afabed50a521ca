// Finds functions in the loaded modules by reading their hash tables: dlsym takes the loader's lock, may allocate, and
// can be interposed. Also sees modules that RTLD_NEXT does not (RTLD_LOCAL).
#pragma once

#include <link.h>

#include <cstdint>

namespace memswell::probe {

// The first definition of `name` in a module loaded after ours; failing that, in any other module. Null: none.
// `module` (may be null) receives the module that has it.
void* find_next(const char* name, const link_map** module = nullptr);

// The definition of `name` in the C library itself (libc.so.6), whoever interposes it.
void* find_in_libc(const char* name);

// The first definition that the program's own calls bind to, ours included.
void* find_first(const char* name, const link_map** module = nullptr);

const link_map* own_module();
const link_map* first_module();      // the executable
const link_map* loader_module();     // ld.so

// The definition of `name` in this module, or null. Only default-visible functions and objects.
void* find_in_module(const link_map* module, const char* name);

}  // namespace memswell::probe
