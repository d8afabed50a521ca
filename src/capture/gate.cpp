#include "capture/gate.h"

#include <linux/membarrier.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>

#include "capture/futex.h"
#include "capture/ring.h"
#include "capture/stamp_clock.h"

namespace memswell::capture {
namespace {

bool is_quiet_now(const Image& image) {
  return std::all_of(image.rings.begin(), image.rings.end(), [](const Ring* ring) {
    return ring->slot->in_hook.load(std::memory_order_acquire) == 0;
  });
}

}  // namespace

ClosedGate::ClosedGate(const Region& region, Image& image, Nanoseconds timeout, const std::function<void()>& meanwhile)
    : region_(region) {
  if (!image.slot || image.process_ended) return;
  slot_ = &region.process(*image.slot);
  closed_at_ = monotonic_now();
  slot_->gate.fetch_or(1, std::memory_order_seq_cst);
  syscall(SYS_membarrier, MEMBARRIER_CMD_GLOBAL_EXPEDITED, 0, 0);
  while (!(quiet_ = is_quiet_now(image)) && closed_for() < timeout) {
    meanwhile();
    const timespec pause{0, 20'000};
    nanosleep(&pause, nullptr);
  }
}

Nanoseconds ClosedGate::closed_for() const {
  if (closed_at_ == 0) return 0;
  return (opened_at_ != 0 ? opened_at_ : monotonic_now()) - closed_at_;
}

void ClosedGate::open() {
  if (slot_ == nullptr) return;
  // What comes through the gate is later than what was cut: no stamp from before is used again.
  region_.header().recorder_heartbeat.fetch_add(1, std::memory_order_relaxed);
  slot_->gate.fetch_add(1, std::memory_order_seq_cst);  // even: open
  wake_all(slot_->gate);
  opened_at_ = monotonic_now();
  slot_ = nullptr;
}

ClosedGate::~ClosedGate() { open(); }

}  // namespace memswell::capture
