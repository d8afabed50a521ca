// The environment of a program about to start. It is never added to; our own entries are taken out where the preload
// would harm it. No allocation: the caller gives the memory.
#pragma once

#include <cstddef>

namespace memswell::probe {

// Does it make the loader preload us?
bool has_preload(char* const* environment);

const char* value_in(char* const* environment, const char* name);

// Bytes that `without_preload` needs.
std::size_t without_preload_bytes(char* const* environment);

// A copy without MEMSWELL_REGION and without our entry in LD_PRELOAD (other entries stay).
char** without_preload(char* const* environment, char* memory);

}  // namespace memswell::probe
