#include "probes/smaps/ability_trials.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <linux/membarrier.h>
#include <linux/userfaultfd.h>
#include <pthread.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <functional>

#include "base/unique_fd.h"
#include "probes/smaps/pagemap_file.h"

namespace memswell::smaps {
namespace {

constexpr std::uint64_t kSoftDirty = std::uint64_t{1} << 55;
constexpr std::uint64_t kFeatureWriteProtectAsync = 1 << 15;  // UFFD_FEATURE_WP_ASYNC, newer than some headers
constexpr int kUserModeOnly = 1;                              // UFFD_USER_MODE_ONLY, Linux 5.11

// Two pages, unmapped at the end; shared with children if asked.
class TrialPages {
 public:
  explicit TrialPages(int sharing) : page_bytes_(static_cast<std::size_t>(::sysconf(_SC_PAGESIZE))) {
    memory_ = ::mmap(nullptr, 2 * page_bytes_, PROT_READ | PROT_WRITE, sharing | MAP_ANONYMOUS, -1, 0);
  }
  ~TrialPages() {
    if (*this) ::munmap(memory_, 2 * page_bytes_);
  }
  TrialPages(const TrialPages&) = delete;
  TrialPages& operator=(const TrialPages&) = delete;

  explicit operator bool() const { return memory_ != MAP_FAILED; }
  void* memory() const { return memory_; }
  void write() const { *static_cast<volatile char*>(memory_) = 1; }

  // The pagemap entries of both pages.
  bool read_entries(std::uint64_t (&entries)[2]) const {
    const UniqueFd fd(::open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC));
    const auto offset = reinterpret_cast<std::uintptr_t>(memory_) / page_bytes_ * sizeof(std::uint64_t);
    return fd && ::pread(fd.get(), entries, sizeof entries, static_cast<off_t>(offset)) == sizeof entries;
  }

 private:
  std::size_t page_bytes_;
  void* memory_;
};

bool true_in_a_child(const std::function<bool()>& trial) {
  const pid_t child = ::fork();
  if (child < 0) return false;
  if (child == 0) ::_exit(trial() ? 0 : 1);
  int status = 0;
  while (::waitpid(child, &status, 0) < 0) {
    if (errno != EINTR) return false;
  }
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

bool soft_dirty_bits_follow_writes() {
  const TrialPages pages(MAP_PRIVATE);
  const UniqueFd clear_refs(::open("/proc/self/clear_refs", O_WRONLY | O_CLOEXEC));
  std::uint64_t entries[2] = {};
  if (!pages || !clear_refs) return false;
  pages.write();
  if (::write(clear_refs.get(), "4", 1) != 1 || !pages.read_entries(entries)) return false;
  const bool cleared = (entries[0] & kSoftDirty) == 0;
  pages.write();
  return cleared && pages.read_entries(entries) && (entries[0] & kSoftDirty) != 0;
}

bool init_robust_mutex(pthread_mutex_t* mutex) {
  pthread_mutexattr_t attributes;
  return ::pthread_mutexattr_init(&attributes) == 0 &&
         ::pthread_mutexattr_setpshared(&attributes, PTHREAD_PROCESS_SHARED) == 0 &&
         ::pthread_mutexattr_setrobust(&attributes, PTHREAD_MUTEX_ROBUST) == 0 &&
         ::pthread_mutex_init(mutex, &attributes) == 0;
}

}  // namespace

bool try_pagemap() {
  const TrialPages pages(MAP_PRIVATE);
  if (!pages) return false;
  pages.write();
  std::uint64_t entries[2] = {};
  return pages.read_entries(entries) && has(bits_of_pagemap_entry(entries[0]), PageBit::present) &&
         bits_of_pagemap_entry(entries[1]) == 0;
}

bool try_soft_dirty() { return true_in_a_child(soft_dirty_bits_follow_writes); }

std::optional<int> why_no_async_write_protection() {
  const UniqueFd fd(static_cast<int>(::syscall(SYS_userfaultfd, O_CLOEXEC | O_NONBLOCK | kUserModeOnly)));
  if (!fd) return errno;
  uffdio_api api{};
  api.api = UFFD_API;
  api.features = kFeatureWriteProtectAsync;
  if (::ioctl(fd.get(), UFFDIO_API, &api) != 0) return errno;
  return std::nullopt;
}

bool try_global_barrier() {
  const auto commands = ::syscall(SYS_membarrier, MEMBARRIER_CMD_QUERY, 0);
  return commands > 0 && (commands & MEMBARRIER_CMD_GLOBAL_EXPEDITED) != 0;
}

bool try_memfd() {
  const UniqueFd fd(::memfd_create("memswell-trial", MFD_CLOEXEC));
  const auto bytes = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  if (!fd || ::ftruncate(fd.get(), static_cast<off_t>(bytes)) != 0) return false;
  void* memory = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd.get(), 0);
  if (memory == MAP_FAILED) return false;
  ::munmap(memory, bytes);
  return true;
}

bool try_robust_mutex() {
  const TrialPages pages(MAP_SHARED);
  if (!pages) return false;
  auto* mutex = static_cast<pthread_mutex_t*>(pages.memory());
  if (!init_robust_mutex(mutex)) return false;
  const bool held_at_death = true_in_a_child([&] { return ::pthread_mutex_lock(mutex) == 0; });
  const int lock = held_at_death ? ::pthread_mutex_trylock(mutex) : EBUSY;
  if (lock == EOWNERDEAD) ::pthread_mutex_consistent(mutex);
  if (lock == 0 || lock == EOWNERDEAD) ::pthread_mutex_unlock(mutex);
  return lock == EOWNERDEAD;
}

Rseq try_rseq() {
  // Nonsense is refused by a kernel that has the call, and unknown to one that has not.
  const bool kernel = ::syscall(SYS_rseq, nullptr, 0, 0, 0) == 0 || errno != ENOSYS;
  const auto* size = static_cast<const unsigned*>(::dlsym(RTLD_DEFAULT, "__rseq_size"));
  return {kernel, size != nullptr && *size > 0};
}

}  // namespace memswell::smaps
