#include "capture/region.h"

#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/resource.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <utility>
#include <vector>

#include "base/check.h"

namespace memswell::capture {
namespace {

constexpr std::uint32_t kWaitLimitMs = 10000;

constexpr Bytes whole_pages(Bytes bytes) { return (bytes + format::kPageBytes - 1) / format::kPageBytes * format::kPageBytes; }

constexpr Bytes kProcessOffset = whole_pages(sizeof(format::RunHeader));
constexpr Bytes kRingOffset = kProcessOffset + whole_pages(sizeof(format::ProcessSlot) * format::kProcessSlots);
constexpr Bytes kPoolOffset = kRingOffset + whole_pages(sizeof(format::RingSlot) * format::kRingSlots);
constexpr std::uint64_t kLeastPoolPages = 512;  // of a recorder under RLIMIT_AS: some programs with some threads

Error region_error(const char* what) {
  return {std::string("cannot make the shared memory region for the recording: ") + what + ": " + std::strerror(errno) + "."};
}

void fill_header(format::RunHeader& header, const RegionOptions& options, Bytes region_bytes) {
  const std::uint64_t pool_pages = (region_bytes - kPoolOffset) / format::kPageBytes;
  header.version = format::kRegionVersion;
  header.max_depth = std::clamp(options.max_depth, 1u, format::kMaxDepthLimit);
  header.region_bytes = region_bytes;
  header.process_offset = kProcessOffset;
  header.ring_offset = kRingOffset;
  header.pool_offset = kPoolOffset;
  header.on_full = options.on_full;
  header.stamp_source = options.stamp_source;
  header.wait_limit_ms = kWaitLimitMs;
  header.sample_bytes = options.sample_bytes;
  header.sample_seed = options.sample_seed;
  header.sampled_set_offset = region_bytes;
  header.walk_stacks.store(1, std::memory_order_relaxed);
  header.check_walks = options.check_walks ? 1 : 0;
  header.track_writes = options.track_writes ? 1 : 0;
  header.ring_page_budget =
      static_cast<std::uint32_t>(std::min<Bytes>(options.ring_memory / format::kPageBytes, pool_pages / 2));
  header.stamp_counter.store(1, std::memory_order_relaxed);
  header.enabled.store(1, std::memory_order_relaxed);
  header.magic = format::kRegionMagic;
}

// RLIMIT_FSIZE holds for memory files too (fs/attr.c, inode_newsize_ok): lifted for the moment as far as it may be, and
// without the signal that kills.
class LiftedFileSizeLimit {
 public:
  LiftedFileSizeLimit() {
    struct sigaction ignore {};
    ignore.sa_handler = SIG_IGN;
    sigaction(SIGXFSZ, &ignore, &action_);
    getrlimit(RLIMIT_FSIZE, &limit_);
    const rlimit none{RLIM_INFINITY, RLIM_INFINITY};
    const rlimit highest{limit_.rlim_max, limit_.rlim_max};
    if (setrlimit(RLIMIT_FSIZE, &none) != 0) setrlimit(RLIMIT_FSIZE, &highest);
  }
  LiftedFileSizeLimit(const LiftedFileSizeLimit&) = delete;
  LiftedFileSizeLimit& operator=(const LiftedFileSizeLimit&) = delete;
  ~LiftedFileSizeLimit() {
    const int error = errno;
    setrlimit(RLIMIT_FSIZE, &limit_);
    sigaction(SIGXFSZ, &action_, nullptr);
    errno = error;
  }

 private:
  struct sigaction action_ {};
  rlimit limit_{};
};

bool give_size(const UniqueFd& file, Bytes bytes) {
  const LiftedFileSizeLimit lifted;
  return ftruncate(file.get(), static_cast<off_t>(bytes)) == 0;
}

Bytes address_space_taken() {
  std::uint64_t pages = 0;
  std::ifstream("/proc/self/statm") >> pages;
  return pages * format::kPageBytes;
}

// Under RLIMIT_AS (ulimit -v) half of what is left beside what the recorder needs itself: its libraries alone take 40 MiB.
std::uint64_t affordable_pool_pages() {
  constexpr Bytes kForTheRecorder = Bytes{16} << 20;
  rlimit limit{};
  if (getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return format::kPoolPages;
  const Bytes taken = address_space_taken() + kPoolOffset + kForTheRecorder;
  const std::uint64_t pages = limit.rlim_cur > taken ? (limit.rlim_cur - taken) / 2 / format::kPageBytes : 0;
  return std::clamp<std::uint64_t>(pages / 64 * 64, kLeastPoolPages, format::kPoolPages);
}

}  // namespace

Result<Region> Region::create(const RegionOptions& options) {
  UniqueFd file(memfd_create("memswell", MFD_CLOEXEC | MFD_ALLOW_SEALING));
  if (!file) return region_error("memfd_create");
  std::uint64_t pool_pages = affordable_pool_pages();
  void* memory = MAP_FAILED;
  Bytes bytes = 0;
  for (; memory == MAP_FAILED && pool_pages >= kLeastPoolPages; pool_pages /= 2) {
    bytes = kPoolOffset + pool_pages * format::kPageBytes;
    if (!give_size(file, bytes + format::kSampledSetBytes)) return region_error(errno == EFBIG ? "the limit of file size (ulimit -f) is too low" : "ftruncate");
    memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file.get(), 0);
  }
  if (memory == MAP_FAILED) return region_error("mmap");
  Region region(std::move(file), memory, bytes);
  // A kernel without sealing of memfds has no memfd_create either.
  if (fcntl(region.fd(), F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) != 0) return region_error("F_ADD_SEALS");
  fill_header(region.header(), options, bytes);
  return region;
}

Region::Region(Region&& other) noexcept
    : file_(std::move(other.file_)), memory_(std::exchange(other.memory_, nullptr)), bytes_(other.bytes_) {}

Region::~Region() {
  if (memory_ != nullptr) munmap(memory_, bytes_);
}

format::ProcessSlot& Region::process(std::uint32_t slot) const {
  MEMSWELL_CHECK(slot < format::kProcessSlots);
  return reinterpret_cast<format::ProcessSlot*>(static_cast<std::byte*>(memory_) + kProcessOffset)[slot];
}

format::RingSlot& Region::ring(std::uint32_t slot) const {
  MEMSWELL_CHECK(slot < format::kRingSlots);
  return reinterpret_cast<format::RingSlot*>(static_cast<std::byte*>(memory_) + kRingOffset)[slot];
}

std::byte* Region::pool_pages(std::uint64_t first, std::uint64_t count) const {
  const std::uint64_t pages = (bytes_ - kPoolOffset) / format::kPageBytes;
  if (first >= pages || count > pages - first) return nullptr;
  return static_cast<std::byte*>(memory_) + kPoolOffset + first * format::kPageBytes;
}

void Region::free_pool_pages(std::uint64_t first, std::uint64_t count) const {
  std::byte* pages = pool_pages(first, count);
  if (pages == nullptr || count == 0) return;
  // A hole takes the memory away from every process that maps it (madvise(2), MADV_REMOVE).
  if (madvise(pages, count * format::kPageBytes, MADV_REMOVE) != 0) std::memset(pages, 0, count * format::kPageBytes);
  for (std::uint64_t page = first; page < first + count; ++page)
    header().pool_used[page / 64].fetch_and(~(std::uint64_t{1} << page % 64), std::memory_order_release);
}

void Region::share_used_pages() const {
  std::vector<unsigned char> in_memory;
  const auto used = [&](std::uint64_t page) {
    return (header().pool_used[page / 64].load(std::memory_order_relaxed) >> page % 64 & 1) != 0;
  };
  for (std::uint64_t page = 0; page < format::kPoolPages;) {
    if (header().pool_used[page / 64].load(std::memory_order_relaxed) == 0) {
      page = (page / 64 + 1) * 64;
      continue;
    }
    if (!used(page)) {
      ++page;
      continue;
    }
    const std::uint64_t first = page;
    while (page < format::kPoolPages && used(page)) ++page;
    std::byte* pages = pool_pages(first, page - first);
    in_memory.resize(page - first);
    // The bits are the programs': they may speak of pages that a small pool does not have.
    if (pages == nullptr || mincore(pages, (page - first) * format::kPageBytes, in_memory.data()) != 0) return;
    const volatile std::byte* read = pages;
    for (std::uint64_t i = 0; i < page - first; ++i)
      if ((in_memory[i] & 1) != 0) static_cast<void>(read[i * format::kPageBytes]);
  }
}

Result<void> Region::lock_recorder_mutex() const {
  static_assert(sizeof(pthread_mutex_t) <= sizeof(format::RunHeader::recorder_mutex));
  auto* mutex = reinterpret_cast<pthread_mutex_t*>(header().recorder_mutex);
  pthread_mutexattr_t attributes;
  pthread_mutexattr_init(&attributes);
  pthread_mutexattr_setpshared(&attributes, PTHREAD_PROCESS_SHARED);
  pthread_mutexattr_setrobust(&attributes, PTHREAD_MUTEX_ROBUST);
  pthread_mutex_init(mutex, &attributes);
  pthread_mutexattr_destroy(&attributes);
  errno = pthread_mutex_lock(mutex);
  if (errno != 0) return region_error("robust mutex");
  return {};
}

}  // namespace memswell::capture
