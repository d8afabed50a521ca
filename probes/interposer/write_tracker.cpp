#include "write_tracker.h"

#include <fcntl.h>
#include <linux/userfaultfd.h>
#include <sys/ioctl.h>

#include "attach.h"
#include "process.h"
#include "system_calls.h"

namespace memswell::probe {
namespace {

constexpr long kUserModeOnly = 1;                        // UFFD_USER_MODE_ONLY, Linux 5.11
constexpr std::uint64_t kWriteProtectAsync = 1ull << 15;  // UFFD_FEATURE_WP_ASYNC, Linux 6.7

}  // namespace

void offer_write_tracker() {
  if (process.header->track_writes == 0 || process.sandboxed.load(std::memory_order_relaxed) != 0) return;
  const long fd = system_call(SYS_userfaultfd, O_CLOEXEC | O_NONBLOCK | kUserModeOnly);
  if (fd < 0) return;
  uffdio_api wanted{};
  wanted.api = UFFD_API;
  wanted.features = kWriteProtectAsync;
  if (system_call(SYS_ioctl, fd, UFFDIO_API, as_word(&wanted)) >= 0)
    send_descriptor(process.header->attach_address, static_cast<int>(fd), process.slot_index);
  system_call(SYS_close, fd);
}

}  // namespace memswell::probe
