// Appends one record to the thread's ring: all of it or nothing, whatever signal handler interrupts.
#pragma once

#include <cstdint>

#include "thread_state.h"

namespace memswell::probe {

enum class AppendResult {
  done,
  lost,      // no room even after waiting, counted
  new_ring,  // nothing written: the thread has a bigger ring, which knows no stack and no layout yet
};

// Writes `words` header words, then the pcs of `count` frames, then publishes the new head. A signal handler that
// allocates in the middle gets its own record in first; one that leaves by siglongjmp leaves nothing behind.
AppendResult append(ThreadState& thread, const std::uint64_t* words, std::uint64_t word_count, const Frame* frames,
                    std::uint64_t frame_count);

// A record that does not depend on what the ring said before.
void append_plain(ThreadState& thread, const std::uint64_t* words, std::uint64_t word_count);

}  // namespace memswell::probe
