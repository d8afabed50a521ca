#include "handshake.h"

#include <linux/futex.h>
#include <time.h>

#include "system_calls.h"
#include "unwind_tables.h"

namespace memswell::probe {
namespace {

constexpr int kSlices = 100;
constexpr long kSliceNs = 10'000'000;

}  // namespace

void wait_for_snapshot(ThreadState& t) {
  if (process.sandboxed.load(std::memory_order_relaxed) != 0 || t.gave_up_snapshots != 0) return;
  drop_unwind_tables();
  auto& answered = process.slot->exit_answered;
  const std::uint32_t request = process.slot->exit_requested.fetch_add(1) + 1;
  for (int i = 0; i < kSlices; ++i) {
    const std::uint32_t seen = answered.load(std::memory_order_acquire);
    if (static_cast<std::int32_t>(seen - request) >= 0) return;
    if (!recorder_alive() || process.header->enabled.load(std::memory_order_relaxed) == 0) return;
    timespec slice{0, kSliceNs};
    system_call(SYS_futex, as_word(&answered), FUTEX_WAIT, seen, as_word(&slice));
  }
  t.gave_up_snapshots = 1;
}

}  // namespace memswell::probe
