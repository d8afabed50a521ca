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

// What to do when the quick way did not: no room, or a thread without restartable sequences.
AppendResult append_slowly(ThreadState& thread, const std::uint64_t* words, std::uint64_t word_count, const Frame* frames,
                           std::uint64_t frame_count);

// The quick way (append.cpp). 1: done, 0: no room.
extern "C" [[gnu::visibility("hidden")]] long memswell_append_restartable(ThreadState*, const std::uint64_t* words,
                                                                          std::uint64_t word_count, const Frame* frames,
                                                                          std::uint64_t frame_count);

// Writes `words` header words, then the pcs of `count` frames, then publishes the new head. A signal handler that
// allocates in the middle gets its own record in first; one that leaves by siglongjmp leaves nothing behind.
inline AppendResult append(ThreadState& t, const std::uint64_t* words, std::uint64_t word_count, const Frame* frames,
                           std::uint64_t frame_count) {
  const bool quick = __builtin_expect(t.rseq != nullptr, 1);
  if (quick && memswell_append_restartable(&t, words, word_count, frames, frame_count) != 0) return AppendResult::done;
  return append_slowly(t, words, word_count, frames, frame_count);
}

// A record that does not depend on what the ring said before.
inline void append_plain(ThreadState& t, const std::uint64_t* words, std::uint64_t word_count) {
  while (append(t, words, word_count, nullptr, 0) == AppendResult::new_ring) {}
}

}  // namespace memswell::probe
