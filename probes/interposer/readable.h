// Which memory of the current stack may be read. Walks never touch memory that may not be there: foreign stacks,
// coroutines, the last page of a tiny stack.
#pragma once

#include "process.h"

namespace memswell::probe {

void find_stack(ReadableRange& range, std::uintptr_t sp);

// Makes `range` cover the stack that `sp` lies on, as far as it is known.
inline void begin_on_stack(ReadableRange& range, std::uintptr_t sp) {
  const std::uint32_t unmaps = process.unmaps.load(std::memory_order_relaxed);
  if (__builtin_expect(sp >= range.low && sp < range.high &&
                           (range.unmaps == unmaps || range.high == process.main_stack_end), 1))
    return;
  find_stack(range, sp);
}

// Out of line: asks the kernel, page by page, and extends the range. False: not readable.
bool extend_readable(ReadableRange& range, std::uintptr_t address);

// May the word at `address` be read?
inline bool readable(ReadableRange& range, std::uintptr_t address) {
  if (__builtin_expect(address >= range.low && address + 8 <= range.high && (address & 7) == 0, 1)) return true;
  return extend_readable(range, address);
}

// Asks the kernel whether one page can be read, without touching it.
bool page_readable(std::uintptr_t address);

}  // namespace memswell::probe
