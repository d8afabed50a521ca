// The unwinder of record: libunwind, through an address space of our own so that it takes no lock of the loader, reads
// only memory that is there, and writes no pipe. Used for frames that no step rule can say, and to check all others.
#pragma once

#include "thread_state.h"

namespace memswell::probe {

// Loads libunwind (dlopen: from our constructor only). False: not installed, or not usable.
bool load_libunwind();
bool libunwind_loaded();

struct LibunwindFrame {
  std::uintptr_t pc;
  std::uintptr_t sp;
  std::uintptr_t bp;
  bool exact;  // interrupted by a signal here: pc is no return address
};

// Walks from the caller of this function outwards and hands each frame to `take` until that answers false.
// `end` receives why it ended.
enum class LibunwindEnd { outermost, stopped, failed };
LibunwindEnd walk_with_libunwind(ReadableRange& range, bool (*take)(void*, const LibunwindFrame&), void* context);

}  // namespace memswell::probe
