#include "probes/smaps/page_scan.h"

#include <fcntl.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <functional>
#include <span>

namespace memswell::smaps {
namespace {

// include/uapi/linux/fs.h of Linux 6.7, written out here: the headers may be older than the kernel.
struct PageRegion {
  std::uint64_t start;
  std::uint64_t end;
  std::uint64_t categories;
};

struct ScanArgument {
  std::uint64_t size;
  std::uint64_t flags;
  std::uint64_t start;
  std::uint64_t end;
  std::uint64_t walk_end;
  std::uint64_t vec;
  std::uint64_t vec_len;
  std::uint64_t max_pages;
  std::uint64_t category_inverted;
  std::uint64_t category_mask;
  std::uint64_t category_anyof_mask;
  std::uint64_t return_mask;
};
static_assert(sizeof(ScanArgument) == 96);

constexpr unsigned long kPagemapScan = _IOWR('f', 16, ScanArgument);

constexpr std::uint64_t kWritten = 1 << 1;
constexpr std::uint64_t kFile = 1 << 2;
constexpr std::uint64_t kPresent = 1 << 3;
constexpr std::uint64_t kSwapped = 1 << 4;
constexpr std::uint64_t kZeroPage = 1 << 5;
constexpr std::uint64_t kHuge = 1 << 6;
constexpr std::uint64_t kGuard = 1 << 8;  // Linux 6.15; guard pages (6.13) look swapped without it

constexpr std::uint64_t kProtectMatching = 1 << 0;  // PM_SCAN_WP_MATCHING

constexpr std::size_t kRegionsAtOnce = 4096;

constexpr struct {
  std::uint64_t category;
  PageBit bit;
} kBits[] = {
    {kPresent, PageBit::present}, {kSwapped, PageBit::swapped}, {kZeroPage, PageBit::zero_page},
    {kHuge, PageBit::huge},       {kFile, PageBit::file},       {kWritten, PageBit::written},
};

// The end of user addresses is the machine's and the kernel's affair: the largest one that the kernel takes is used.
constexpr std::array<std::uint64_t, 4> kAddressEnds = {std::uint64_t{1} << 56, std::uint64_t{1} << 52,
                                                       std::uint64_t{1} << 48, (std::uint64_t{1} << 47) - 4096};

struct Facility {
  bool available = false;
  std::uint64_t address_end = 0;
  std::uint64_t guard = 0;  // kGuard where it is known
};

struct Request {
  std::uint64_t any_of = kPresent | kSwapped;
  std::uint64_t categories = kPresent;  // to be told
  std::uint64_t flags = 0;
};

int scan_once(int fd, std::uint64_t begin, std::uint64_t end, const Request& request, std::span<PageRegion> out) {
  ScanArgument argument{};
  argument.size = sizeof argument;
  argument.flags = request.flags;
  argument.start = begin;
  argument.end = end;
  argument.vec = reinterpret_cast<std::uintptr_t>(out.data());
  argument.vec_len = out.size();
  argument.category_anyof_mask = request.any_of;
  argument.return_mask = request.categories;
  return ::ioctl(fd, kPagemapScan, &argument);
}

Facility try_facility() {
  Facility facility;
  const UniqueFd fd(::open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC));
  if (!fd) return facility;
  std::array<PageRegion, 1> one{};
  if (scan_once(fd.get(), 0, 4096, {}, one) < 0) return facility;
  facility.guard = scan_once(fd.get(), 0, 4096, {.categories = kPresent | kGuard}, one) < 0 ? 0 : kGuard;
  for (const auto end : kAddressEnds) {
    if (scan_once(fd.get(), 0, end, {}, one) < 0) continue;
    facility.address_end = end;
    facility.available = true;
    break;
  }
  return facility;
}

const Facility& facility() {
  static const Facility tried = try_facility();
  return tried;
}

std::uint32_t bits_of(std::uint64_t categories) {
  std::uint32_t bits = 0;
  for (const auto& row : kBits) {
    if ((categories & row.category) != 0) bits = bits | row.bit;
  }
  return bits;
}

// All of the address space, region by region. False: the process is gone.
Result<bool> scan_all(const ProcessFiles& files, const Request& request,
                      const std::function<void(const PageRegion&)>& visit) {
  const auto fd = files.open_file("pagemap", O_RDONLY);
  if (!fd) return fd.error();
  if (!*fd) return false;
  std::vector<PageRegion> regions(kRegionsAtOnce);
  std::uint64_t begin = 0;
  while (begin < facility().address_end) {
    const int found = scan_once((*fd)->get(), begin, facility().address_end, request, regions);
    if (found < 0 && errno == EINTR) continue;
    if (found < 0 && errno == ESRCH) return false;
    if (found < 0) {
      return Error{"PAGEMAP_SCAN of process " + std::to_string(files.pid()) + " failed: " + std::strerror(errno)};
    }
    std::ranges::for_each(std::span(regions).first(static_cast<std::size_t>(found)), visit);
    // walk_end is stale once more than 512 regions were found: the last region says where to go on.
    if (static_cast<std::size_t>(found) < regions.size()) break;
    begin = regions.back().end;
  }
  return true;
}

}  // namespace

bool page_scan_available() { return facility().available; }

Result<std::optional<std::vector<PageRun>>> scan_pages(const ProcessFiles& files, const PageScanOptions& options) {
  const Request request{.categories = kPresent | kSwapped | kZeroPage | kHuge | facility().guard |
                                      (options.file ? kFile : 0) | (options.written ? kWritten : 0),
                        .flags = options.forget_writes ? kProtectMatching : 0};
  std::vector<PageRun> runs;
  const auto scanned = scan_all(files, request, [&](const PageRegion& region) {
    if ((region.categories & kGuard) == 0) append_run(runs, {region.start, region.end, bits_of(region.categories)});
  });
  if (!scanned) return scanned.error();
  if (!*scanned) return std::optional<std::vector<PageRun>>();
  return std::optional(std::move(runs));
}

Result<bool> forget_writes(const ProcessFiles& files) {
  const Request request{.any_of = kWritten, .categories = kWritten, .flags = kProtectMatching};
  return scan_all(files, request, [](const PageRegion&) {});
}

}  // namespace memswell::smaps
