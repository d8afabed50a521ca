#include "record.h"

#include <linux/futex.h>
#include <time.h>

#include "layout.h"
#include "memory.h"
#include "real_functions.h"
#include "release_watch.h"
#include "sampling.h"
#include "system_calls.h"

namespace memswell::probe {
namespace {

constexpr std::size_t kLongestText = 1000;
constexpr std::uint32_t kHeadWords = 8;
constexpr std::uint64_t kNoStackLevel = format::kStackLevels - 1;

constexpr std::uint64_t stack_word(std::uint64_t size, std::uint64_t level, std::uint64_t keep, std::uint64_t push) {
  return size | level << format::kLevelShift | keep << format::kKeepShift | push << format::kPushShift;
}

void say_layout(ThreadState& t, std::uint32_t layout) {
  if (t.announced_layout == layout) return;
  const std::uint64_t words[] = {first_word(format::RecordKind::layout, layout), stamp_of_block(t)};
  append_plain(t, words, 2);
  t.announced_layout = layout;
}

// Appends head words with a stack. The stack word is words[2]; a new ring gets the whole stack.
void append_with_stack(ThreadState& t, std::uint64_t* words, std::uint32_t count, std::uint64_t size, StackDifference& d,
                       const CallSite& site) {
  Frame leaf;
  for (;;) {
    say_layout(t, d.layout);
    const Frame* frames = d.stack != nullptr ? d.stack->frames + d.keep : &(leaf = {site.pc, site.sp, site.bp, 0});
    const std::uint32_t push = d.stack == nullptr ? 1 : d.stack->count - d.keep;
    words[2] = stack_word(size, d.level, d.keep, push);
    switch (append(t, words, count, frames, push)) {
      case AppendResult::done:
        if (d.stack != nullptr) sent(d);
        return;
      case AppendResult::lost: return;
      case AppendResult::new_ring: d.keep = 0; break;
    }
  }
}

// A block as words, all but the word of its stack.
struct BlockRecord {
  BlockRecord(format::RecordKind kind, const void* block, std::size_t requested, std::size_t usable, const void* replaced,
              std::uint64_t stamp) {
    const std::uint64_t slack = usable - requested;
    const bool slack_in_word = usable < requested || slack >= format::kSlackInWord;
    const bool size_in_word = requested >= format::kSizeInWord;
    words[0] = first_word(kind, reinterpret_cast<std::uintptr_t>(block), slack_in_word ? format::kSlackInWord : slack);
    words[1] = stamp;
    if (slack_in_word) words[count++] = usable;
    if (size_in_word) words[count++] = requested;
    if (kind == format::RecordKind::realloc_end) words[count++] = reinterpret_cast<std::uintptr_t>(replaced);
    size = size_in_word ? format::kSizeInWord : requested;
  }

  std::uint64_t words[kHeadWords];
  std::uint32_t count = 3;
  std::uint64_t size;
};

// True: no stack for now.
bool is_without_stacks(ThreadState& t) {
  if ((t.mode & kWithoutStacks) == 0) return false;
  if (process.header->walk_stacks.load(std::memory_order_relaxed) == 0) return true;
  t.mode &= ~kWithoutStacks;
  return false;
}

}  // namespace

void record_block(ThreadState& t, format::RecordKind kind, const void* block, std::size_t requested, std::size_t usable,
                  const CallSite& site, const void* replaced) {
  const bool otherwise = __builtin_expect(t.mode != 0, 0);
  if (otherwise && (t.mode & kSampled) != 0 && !sample_block(t, block, requested, usable)) return;
  BlockRecord record(kind, block, requested, usable, replaced, stamp_of_block(t));
  if (otherwise && is_without_stacks(t)) {
    record.words[2] = stack_word(record.size, kNoStackLevel, 0, 0);
    append_plain(t, record.words, record.count);
  } else {
    StackDifference d = walk_stack(t, site);
    append_with_stack(t, record.words, record.count, record.size, d, site);
    end_walk(d);
  }
  if (__builtin_expect(usable >= kLargeBytes, 0)) large_memory_made(usable);
}

void record_mapping(ThreadState& t, format::RecordKind kind, const void* address, std::size_t length,
                    const CallSite& site, const std::uint64_t* extra, std::uint32_t extra_count) {
  const std::uint64_t stamp = stamp_of_block(t);
  StackDifference d = walk_stack(t, site);
  const bool size_in_word = length >= format::kSizeInWord;
  std::uint64_t words[kHeadWords];
  words[0] = first_word(kind, reinterpret_cast<std::uintptr_t>(address));
  words[1] = stamp;
  std::uint32_t n = 3;
  if (size_in_word) words[n++] = length;
  for (std::uint32_t i = 0; i < extra_count; ++i) words[n++] = extra[i];
  append_with_stack(t, words, n, size_in_word ? format::kSizeInWord : length, d, site);
  end_walk(d);
  if (length >= kLargeBytes) large_memory_made(length);
}

void record_text(ThreadState& t, format::RecordKind kind, std::uint64_t small, const char* text, bool with_value,
                 std::uint64_t value, std::uintptr_t address) {
  std::uint64_t words[4 + kLongestText / 8 + 1];
  std::size_t length = text_length(text);
  if (length > kLongestText) length = kLongestText;
  std::uint32_t n = 0;
  words[n++] = first_word(kind, address, small);
  words[n++] = fresh_stamp(t);
  if (with_value) words[n++] = value;
  words[n++] = length;
  const auto text_words = static_cast<std::uint32_t>((length + 7) / 8);
  if (text_words > 0) words[n + text_words - 1] = 0;
  copy_bytes(words + n, text, length);
  append_plain(t, words, n + text_words);
}

// The recorder opens the gate again; or it is gone, or stopped for so long that it must not hold up the program further.
void InHook::wait_at_gate() {
  if (process.sandboxed.load(std::memory_order_relaxed) != 0) return;
  auto& gate = process.slot->gate;
  const std::uint64_t deadline = clock_ms() + process.header->wait_limit_ms;
  for (;;) {
    const std::uint32_t seen = gate.load(std::memory_order_acquire);
    if ((seen & 1) == 0 || seen == process.gate_passed.load(std::memory_order_relaxed)) break;
    if (!recorder_alive()) {
      switch_off();
      break;
    }
    if (clock_ms() > deadline) process.gate_passed.store(seen, std::memory_order_relaxed);
    t_.ring->in_hook.store(0, std::memory_order_seq_cst);
    timespec slice{0, 10'000'000};
    system_call(SYS_futex, as_word(&gate), FUTEX_WAIT, seen, as_word(&slice));
  }
  t_.ring->in_hook.store(1, std::memory_order_seq_cst);
}

}  // namespace memswell::probe
