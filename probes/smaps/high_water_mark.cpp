#include "probes/smaps/high_water_mark.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <string_view>

#include "probes/smaps/settings.h"
#include "probes/smaps/status_parser.h"
#include "probes/smaps/text_cursor.h"

namespace memswell::smaps {
namespace {

constexpr Bytes kTestPeak = Bytes{4} << 20;

std::optional<Bytes> own_high_water_mark(const ProcessFiles& self, ReadBuffer& buffer) {
  const auto mark = read_high_water_mark(self, buffer);
  return mark ? *mark : std::nullopt;
}

// In a child. 0: the mark of a peak that is over went away with the reset.
int try_reset() {
  const auto self = ProcessFiles::open(::getpid());
  if (!self || !*self) return 1;
  void* peak = ::mmap(nullptr, kTestPeak, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
  if (peak == MAP_FAILED) return 1;
  ::munmap(peak, kTestPeak);
  ReadBuffer buffer;
  const auto before = own_high_water_mark(**self, buffer);
  const auto reset = reset_high_water_mark(**self);
  const auto after = own_high_water_mark(**self, buffer);
  return before && after && reset && *reset && *after + kTestPeak / 2 < *before ? 0 : 1;
}

struct KernelVersion {
  std::uint32_t major = 0;
  std::uint32_t minor = 0;
};

KernelVersion kernel_version() {
  utsname names{};
  ::uname(&names);
  std::string_view release = names.release;
  KernelVersion version;
  version.major = take_number<std::uint32_t>(release).value_or(0);
  if (take_char(release, '.')) version.minor = take_number<std::uint32_t>(release).value_or(0);
  return version;
}

}  // namespace

Result<std::optional<Bytes>> read_high_water_mark(const ProcessFiles& files, ReadBuffer& buffer) {
  const auto text = files.read("status", buffer);
  if (!text) return text.error();
  if (!*text) return std::optional<Bytes>();
  const auto status = parse_status(**text);
  if (!status) return status.error();
  if (!status->has_memory) return std::optional<Bytes>();
  return std::optional(status->memory.high_water_mark_bytes);
}

Result<bool> reset_high_water_mark(const ProcessFiles& files) {
  if (is_switched_on("MEMSWELL_NO_CLEAR_REFS"))
    return Error{"resets of peaks are switched off by MEMSWELL_NO_CLEAR_REFS"};
  const auto fd = files.open_file("clear_refs", O_WRONLY);
  if (!fd) return fd.error();
  if (!*fd) return false;
  if (::write((*fd)->get(), "5", 1) == 1) return true;
  if (errno == ESRCH) return false;
  return Error{"cannot reset the peak of process " + std::to_string(files.pid()) +
               " (writing 5 to clear_refs): " + std::strerror(errno)};
}

bool high_water_mark_resets_work() {
  const pid_t child = ::fork();
  if (child < 0) return false;
  if (child == 0) ::_exit(try_reset());
  int status = 0;
  while (::waitpid(child, &status, 0) < 0) {
    if (errno != EINTR) return false;
  }
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

Bytes high_water_mark_bound(std::uint32_t kernel_major, std::uint32_t kernel_minor, std::uint32_t cpus,
                            std::uint32_t threads, Bytes page_bytes) {
  constexpr Bytes kParts = 3;  // anonymous, file, shared memory
  const bool per_cpu = kernel_major > 6 || (kernel_major == 6 && kernel_minor >= 2);
  const Bytes pages = per_cpu ? kParts * std::max<Bytes>(32, 2 * Bytes{cpus}) * cpus : 64 * Bytes{threads};
  return pages * page_bytes;
}

Bytes own_high_water_mark_bound(std::uint32_t threads) {
  static const auto version = kernel_version();
  static const auto cpus = static_cast<std::uint32_t>(::sysconf(_SC_NPROCESSORS_ONLN));
  static const auto page_bytes = static_cast<Bytes>(::sysconf(_SC_PAGESIZE));
  return high_water_mark_bound(version.major, version.minor, cpus, threads, page_bytes);
}

}  // namespace memswell::smaps
