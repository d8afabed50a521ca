// Turns what a hook saw into ring records. All of these keep errno and make no system call unless the ring is full.
#pragma once

#include "append.h"
#include "sampling.h"
#include "stamp.h"
#include "thread.h"
#include "walk.h"

namespace memswell::probe {

inline constexpr std::uint64_t kAddressShift = 16;

constexpr std::uint64_t first_word(format::RecordKind kind, std::uintptr_t address, std::uint64_t small = 0) {
  return static_cast<std::uint64_t>(kind) | small << 8 | address << kAddressShift;
}

// A block that exists now. `replaced`: realloc's old block.
void record_block(ThreadState& t, format::RecordKind kind, const void* block, std::size_t requested, std::size_t usable,
                  const CallSite& site, const void* replaced = nullptr);

// Records without a stack; `stamp` is taken here, before the call that they announce.
inline void record_plain(ThreadState& t, format::RecordKind kind, const void* address, std::uint64_t small = 0) {
  const std::uint64_t words[] = {first_word(kind, reinterpret_cast<std::uintptr_t>(address), small), stamp_of_block(t)};
  append_plain(t, words, 2);
}

inline void record_plain_with(ThreadState& t, format::RecordKind kind, const void* address, std::uint64_t extra,
                              std::uint64_t small = 0) {
  const std::uint64_t words[] = {first_word(kind, reinterpret_cast<std::uintptr_t>(address), small), stamp_of_block(t),
                                 extra};
  append_plain(t, words, 3);
}

// A block is about to end. False: it is none of those that are recorded.
inline bool record_release(ThreadState& t, format::RecordKind kind, void* block) {
  if (__builtin_expect((t.mode & kSampled) != 0, 0) && !sample_release(t, block)) return false;
  record_plain(t, kind, block);
  return true;
}

// mmap and mremap: a stack and up to two extra words.
void record_mapping(ThreadState& t, format::RecordKind kind, const void* address, std::size_t length,
                    const CallSite& site, const std::uint64_t* extra, std::uint32_t extra_count);

// A name of at most 1000 bytes behind fixed words.
void record_text(ThreadState& t, format::RecordKind kind, std::uint64_t small, const char* text, bool with_value,
                 std::uint64_t value, std::uintptr_t address = 0);

// Between these two a thread is inside of a hook: a snapshot waits for it, and it waits for a snapshot (never nested).
class InHook {
 public:
  explicit InHook(ThreadState& t) : t_(t), before_(t.ring->in_hook.load(std::memory_order_relaxed)) {
    const auto sp = reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0));
    if (__builtin_expect(before_ != 0 && sp >= t.hook_sp, 0)) before_ = 0;  // left by siglongjmp
    if (before_ == 0) t.hook_sp = sp;
    t.ring->in_hook.store(1, std::memory_order_relaxed);
    std::atomic_signal_fence(std::memory_order_seq_cst);
    if (__builtin_expect((process.slot->gate.load(std::memory_order_relaxed) & 1) != 0, 0) && before_ == 0) wait_at_gate();
  }
  ~InHook() {
    std::atomic_signal_fence(std::memory_order_seq_cst);
    t_.ring->in_hook.store(before_, std::memory_order_release);
  }
  InHook(const InHook&) = delete;
  InHook& operator=(const InHook&) = delete;

 private:
  [[gnu::noinline]] void wait_at_gate();

  ThreadState& t_;
  std::uint32_t before_;
};

}  // namespace memswell::probe
