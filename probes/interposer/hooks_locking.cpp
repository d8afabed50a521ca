// mlockall makes every page of the address space present: 135 MiB of the region, of which a recording uses little.
// The hook locks the program's mappings one by one instead, all but the region.
#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>

#include "export.h"
#include "process.h"
#include "real_functions.h"
#include "system_calls.h"

namespace memswell::probe {
namespace {

constexpr std::size_t kLineBytes = 512;  // the name behind may be longer: only the addresses and rights matter

// Lines of a file, each cut at kLineBytes; by system calls only.
class Lines {
 public:
  explicit Lines(const char* path) : fd_(static_cast<int>(system_call(SYS_open, as_word(path), O_RDONLY | O_CLOEXEC))) {}
  ~Lines() {
    if (fd_ >= 0) system_call(SYS_close, fd_);
  }
  Lines(const Lines&) = delete;
  Lines& operator=(const Lines&) = delete;

  bool is_open() const { return fd_ >= 0; }
  const char* next() {
    std::size_t length = 0;
    for (bool any = false;; any = true) {
      if (at_ == end_ && !refill()) return any ? finished(length) : nullptr;
      const char c = buffer_[at_++];
      if (c == '\n') return finished(length);
      if (length + 1 < kLineBytes) line_[length++] = c;
    }
  }

 private:
  bool refill() {
    const long count = system_call(SYS_read, fd_, as_word(buffer_), sizeof buffer_);
    at_ = 0;
    end_ = count > 0 ? static_cast<std::size_t>(count) : 0;
    return end_ != 0;
  }
  const char* finished(std::size_t length) {
    line_[length] = 0;
    return line_;
  }

  int fd_;
  std::size_t at_ = 0, end_ = 0;
  char buffer_[1024];
  char line_[kLineBytes];
};

std::uintptr_t take_hex(const char*& text) {
  std::uintptr_t value = 0;
  for (;; ++text) {
    const char c = *text;
    const int digit = c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
    if (digit < 0) return value;
    value = value << 4 | static_cast<std::uintptr_t>(digit);
  }
}

bool is_region(std::uintptr_t address) {
  return address - reinterpret_cast<std::uintptr_t>(process.header) < process.mapped_bytes;
}

// 0 or −errno. What cannot be read cannot be made present either: mlockall does not mind.
long lock_mappings(Lines& maps, bool on_fault) {
  while (const char* line = maps.next()) {
    const std::uintptr_t begin = take_hex(line);
    const std::uintptr_t end = *line == '-' ? take_hex(++line) : 0;
    if (end <= begin || *line != ' ' || is_region(begin)) continue;
    const long result = on_fault ? system_call(SYS_mlock2, static_cast<long>(begin), static_cast<long>(end - begin), MLOCK_ONFAULT)
                                 : system_call(SYS_mlock, static_cast<long>(begin), static_cast<long>(end - begin));
    const bool readable = line[1] == 'r' && static_cast<std::intptr_t>(begin) >= 0;  // [vsyscall] is the kernel's
    if (result < 0 && readable && result != -EFAULT) return result;
  }
  return 0;
}

int lock_all(int flags, int (*real_mlockall)(int)) {
  constexpr int kKnown = MCL_CURRENT | MCL_FUTURE | MCL_ONFAULT;
  const bool ours = process.wiped != nullptr && process.header != nullptr && process.sandboxed.load(std::memory_order_relaxed) == 0;
  if (!ours || (flags & MCL_CURRENT) == 0 || (flags & ~kKnown) != 0) return real_mlockall(flags);
  Lines maps("/proc/self/maps");
  if (!maps.is_open()) return real_mlockall(flags);
  if ((flags & MCL_FUTURE) != 0 && real_mlockall(flags & ~MCL_CURRENT) != 0) return -1;
  const long result = lock_mappings(maps, (flags & MCL_ONFAULT) != 0);
  if (result == 0) return 0;
  errno = static_cast<int>(-result);
  return -1;
}

}  // namespace
}  // namespace memswell::probe

using namespace memswell::probe;  // the hooks are C functions

MEMSWELL_EXPORT int mlockall(int flags) {
  using Function = int (*)(int);
  static Function real_mlockall = nullptr;
  if (real_mlockall == nullptr) real_mlockall = next_function<Function>("mlockall");
  return lock_all(flags, real_mlockall);
}
