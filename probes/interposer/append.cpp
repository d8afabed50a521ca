#include "append.h"

#include "process.h"
#include "thread.h"

// The section between 2 and 5 is a restartable sequence (rseq(2), Linux 4.18; glibc 2.35 registers every thread): if the
// kernel delivers a signal, preempts or migrates the thread inside, it sends it to 6, which starts again. The last
// instruction publishes. Measured: 2 ns for a record of three words, no locked instruction.
//
// rdi = ThreadState*, rsi = words, rdx = their number, rcx = frames, r8 = their number. Returns 1 done, 0 no room.
asm(R"(
  .pushsection .data.rel.ro.memswell_rseq, "aw"
  .balign 32
memswell_append_section:
  .long 0, 0
  .quad 2f, 5f - 2f, 6f
  .popsection

  .text
  .balign 16
  .globl memswell_append_restartable
  .hidden memswell_append_restartable
  .type memswell_append_restartable, @function
memswell_append_restartable:
  .cfi_startproc
1:
  mov 32(%rdi), %r9
  lea memswell_append_section(%rip), %rax
  mov %rax, 8(%r9)
2:
  mov 16(%rdi), %r9
  mov (%r9), %rax
  lea (%rdx, %r8), %r10
  lea (%rax, %r10), %r11
  cmp 24(%rdi), %r11
  ja 7f
  mov %rax, %r11
  and 8(%rdi), %r11
  lea -1(%r11, %r10), %r10
  cmp 8(%rdi), %r10
  jbe 10f
  xor %r11d, %r11d      # the record goes over the ring's end: word by word
3:
  mov (%rsi, %r11, 8), %r9
  lea (%rax, %r11), %r10
  and 8(%rdi), %r10
  shl $3, %r10
  add (%rdi), %r10
  mov %r9, (%r10)
  inc %r11
  cmp %rdx, %r11
  jb 3b
  xor %r11d, %r11d
  test %r8, %r8
  jz 8f
4:
  mov %r11, %r10
  shl $5, %r10
  mov (%rcx, %r10), %r9
  lea (%rax, %rdx), %r10
  add %r11, %r10
  and 8(%rdi), %r10
  shl $3, %r10
  add (%rdi), %r10
  mov %r9, (%r10)
  inc %r11
  cmp %r8, %r11
  jb 4b
  jmp 8f
10:
  mov (%rdi), %r10
  lea 64(%rax), %r9     # the line that comes up in eight lines' time is still in the recorder's cache: fetch it now
  and 8(%rdi), %r9
  prefetchw (%r10, %r9, 8)
  lea (%r10, %r11, 8), %r10
  xor %r11d, %r11d
11:
  mov (%rsi, %r11, 8), %r9
  mov %r9, (%r10, %r11, 8)
  inc %r11
  cmp %rdx, %r11
  jb 11b
  test %r8, %r8
  jz 8f
  lea (%r10, %rdx, 8), %r10
  xor %r11d, %r11d
12:
  mov %r11, %r9
  shl $5, %r9
  mov (%rcx, %r9), %r9
  mov %r9, (%r10, %r11, 8)
  inc %r11
  cmp %r8, %r11
  jb 12b
8:
  add %rdx, %rax
  add %r8, %rax
  mov 16(%rdi), %r9
  mov %rax, (%r9)
5:
  mov $1, %eax
  ret
7:
  xor %eax, %eax
  ret
  .long 0x53053053
6:
  jmp 1b
  .cfi_endproc
  .size memswell_append_restartable, . - memswell_append_restartable
)");

namespace memswell::probe {
namespace {

static_assert(sizeof(Frame) == 32 && offsetof(Frame, pc) == 0);
static_assert(offsetof(ThreadState, data) == 0 && offsetof(ThreadState, mask) == 8 &&
              offsetof(ThreadState, head) == 16 && offsetof(ThreadState, limit) == 24 &&
              offsetof(ThreadState, rseq) == 32);

enum class Outcome { done, no_room, lost };

// Without restartable sequences: a handler that interrupts an append loses its record (counted) instead of tearing ours.
Outcome append_guarded(ThreadState& t, const std::uint64_t* words, std::uint64_t word_count, const Frame* frames,
                       std::uint64_t frame_count) {
  const auto sp = reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0));
  if (t.writing != 0 && sp < t.writing) return Outcome::lost;
  const std::uint64_t head = t.head->load(std::memory_order_relaxed);
  if (head + word_count + frame_count > t.limit) return Outcome::no_room;
  t.writing = sp;
  std::atomic_signal_fence(std::memory_order_seq_cst);
  for (std::uint64_t i = 0; i < word_count; ++i) t.data[(head + i) & t.mask] = words[i];
  for (std::uint64_t i = 0; i < frame_count; ++i) t.data[(head + word_count + i) & t.mask] = frames[i].pc;
  t.head->store(head + word_count + frame_count, std::memory_order_release);
  std::atomic_signal_fence(std::memory_order_seq_cst);
  t.writing = 0;
  return Outcome::done;
}

Outcome try_append(ThreadState& t, const std::uint64_t* words, std::uint64_t word_count, const Frame* frames,
                   std::uint64_t frame_count) {
  if (__builtin_expect(t.rseq == nullptr, 0)) return append_guarded(t, words, word_count, frames, frame_count);
  return memswell_append_restartable(&t, words, word_count, frames, frame_count) != 0 ? Outcome::done : Outcome::no_room;
}

void count_loss(ThreadState& t) {
  t.ring->lost.store(t.ring->lost.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
}

// The limit is only as new as the last look at the recorder's tail.
bool refresh_limit(ThreadState& t, std::uint64_t words) {
  const std::uint64_t limit = t.ring->tail.load(std::memory_order_acquire) + t.mask + 1;
  t.limit = limit;
  return t.head->load(std::memory_order_relaxed) + words <= limit;
}

}  // namespace

AppendResult append_slowly(ThreadState& t, const std::uint64_t* words, std::uint64_t word_count, const Frame* frames,
                           std::uint64_t frame_count) {
  for (;;) {
    switch (try_append(t, words, word_count, frames, frame_count)) {
      case Outcome::done: return AppendResult::done;
      case Outcome::lost: count_loss(t); return AppendResult::lost;
      case Outcome::no_room: break;
    }
    if (refresh_limit(t, word_count + frame_count)) continue;
    const format::RingSlot* before = t.ring;
    if (!make_room(t, word_count + frame_count)) return AppendResult::lost;
    if (t.ring != before) return AppendResult::new_ring;
  }
}

}  // namespace memswell::probe
