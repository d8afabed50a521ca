#include "readable.h"

#include "system_calls.h"

namespace memswell::probe {
namespace {

constexpr std::uintptr_t kPage = format::kPageBytes;
constexpr std::uintptr_t kMainStackReach = 100 << 20;  // the kernel keeps mappings at least 128 MiB below the stack's end
constexpr std::uintptr_t kLargestFrame = 64 << 20;     // a longer jump is no frame

std::uintptr_t page_of(std::uintptr_t address) { return address & ~(kPage - 1); }

bool on_main_stack(std::uintptr_t sp) { return sp < process.main_stack_end && process.main_stack_end - sp < kMainStackReach; }

}  // namespace

// rt_sigprocmask reads the new mask before it looks at `how`: EFAULT says unreadable, EINVAL readable, and nothing is
// changed (kernel/signal.c). Seccomp filters let it pass; one that does not answers EPERM, which is no proof.
bool page_readable(std::uintptr_t address) {
  if (process.sandboxed.load(std::memory_order_relaxed) != 0) return false;
  constexpr long kInvalidArgument = -22;
  return system_call(SYS_rt_sigprocmask, -1, static_cast<long>(address & ~std::uintptr_t{7}), 0, 8) == kInvalidArgument;
}

void find_stack(ReadableRange& range, std::uintptr_t sp) {
  const std::uint32_t unmaps = process.unmaps.load(std::memory_order_relaxed);
  range.unmaps = unmaps;
  if (on_main_stack(sp)) {
    range = {page_of(sp), process.main_stack_end, unmaps};
    return;
  }
  // Deeper on the stack that is known already? The pages between must be there.
  constexpr std::uintptr_t kNear = 256 * 1024;
  if (sp < range.low && range.low - sp < kNear && range.high - range.low > 0) {
    std::uintptr_t page = range.low - kPage;
    while (page > page_of(sp) && page_readable(page)) page -= kPage;
    if (page == page_of(sp)) {
      range.low = page;
      return;
    }
  }
  range = {page_of(sp), page_of(sp) + kPage, unmaps};
}

bool extend_readable(ReadableRange& range, std::uintptr_t address) {
  if ((address & 7) != 0 || address < range.low || address - range.high > kLargestFrame) return false;
  while (range.high < address + 8) {
    if (!page_readable(range.high)) return false;
    range.high += kPage;
  }
  return true;
}

}  // namespace memswell::probe
