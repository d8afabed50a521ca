#include "probes/smaps/pagemap_file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace memswell::smaps {
namespace {

constexpr std::uint64_t kExclusive = std::uint64_t{1} << 56;  // Linux 4.2
constexpr std::uint64_t kGuard = std::uint64_t{1} << 58;      // Linux 6.15; guard pages look swapped before
constexpr std::uint64_t kFile = std::uint64_t{1} << 61;
constexpr std::uint64_t kSwapped = std::uint64_t{1} << 62;
constexpr std::uint64_t kPresent = std::uint64_t{1} << 63;

constexpr std::size_t kEntriesAtOnce = 64 * 1024;  // 512 KiB of entries, 256 MiB of addresses

enum class Outcome { done, gone, failed };

class Reader {
 public:
  Reader(int fd, Bytes page_bytes, PagemapReading& out)
      : fd_(fd), page_bytes_(page_bytes), entries_(kEntriesAtOnce), out_(out) {}

  Outcome read(const Mapping& mapping) {
    const bool large = mapping.bytes() > kLargestFullRead;
    Bytes missing = mapping.rss_bytes + mapping.swap_bytes;
    Address at = mapping.begin;
    while (at < mapping.end && !(large && (missing == 0 || at - mapping.begin >= kLongestRead))) {
      const auto pages = std::min<std::uint64_t>((mapping.end - at) / page_bytes_, entries_.size());
      const auto got = read_entries(at, pages);
      if (got < 0) return errno == ESRCH ? Outcome::gone : Outcome::failed;
      if (got == 0) return Outcome::gone;
      missing -= std::min(missing, add_entries(at, static_cast<std::size_t>(got)));
      at += static_cast<std::uint64_t>(got) * page_bytes_;
    }
    out_.unread_bytes += mapping.end - at;
    if (large) out_.missed_bytes += missing;
    return Outcome::done;
  }

 private:
  std::ptrdiff_t read_entries(Address at, std::uint64_t pages) {
    const auto offset = static_cast<off_t>(at / page_bytes_ * sizeof(std::uint64_t));
    for (;;) {
      const auto got = ::pread(fd_, entries_.data(), pages * sizeof(std::uint64_t), offset);
      if (got >= 0) return got / static_cast<std::ptrdiff_t>(sizeof(std::uint64_t));
      if (errno != EINTR) return -1;
    }
  }

  // Returns the bytes that smaps counts as resident or swapped.
  Bytes add_entries(Address at, std::size_t count) {
    Bytes counted = 0;
    for (std::size_t i = 0; i < count; ++i, at += page_bytes_) {
      if (entries_[i] == 0) continue;
      const auto bits = bits_of_pagemap_entry(entries_[i]);
      if (bits == 0) continue;
      append_run(out_.runs, {at, at + page_bytes_, bits});
      if (!has(bits, PageBit::maybe_zero_page)) counted += page_bytes_;
    }
    return counted;
  }

  int fd_;
  Bytes page_bytes_;
  std::vector<std::uint64_t> entries_;
  PagemapReading& out_;
};

bool try_the_zero_page() {
  const auto page_bytes = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  void* page = ::mmap(nullptr, page_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (page == MAP_FAILED) return false;
  static_cast<void>(*static_cast<volatile char*>(page));
  std::uint64_t entry = 0;
  const UniqueFd fd(::open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC));
  const auto offset = reinterpret_cast<std::uintptr_t>(page) / page_bytes * sizeof entry;
  const bool read = ::pread(fd.get(), &entry, sizeof entry, static_cast<off_t>(offset)) == sizeof entry;
  ::munmap(page, page_bytes);
  return read && has(bits_of_pagemap_entry(entry), PageBit::maybe_zero_page);
}

}  // namespace

bool reads_map_the_zero_page() {
  static const bool tried = try_the_zero_page();
  return tried;
}

std::uint32_t bits_of_pagemap_entry(std::uint64_t entry) {
  if ((entry & kGuard) != 0) return 0;
  if ((entry & kPresent) == 0) return (entry & kSwapped) != 0 ? static_cast<std::uint32_t>(PageBit::swapped) : 0;
  std::uint32_t bits = PageBit::present | PageBit::shared_known;
  if ((entry & kFile) != 0) bits = bits | PageBit::file;
  if ((entry & kExclusive) == 0) bits = bits | PageBit::shared;
  if ((entry & (kFile | kExclusive)) == 0) bits = bits | PageBit::maybe_zero_page;
  return bits;
}

Result<std::optional<PagemapReading>> read_pagemap(const ProcessFiles& files, std::span<const Mapping> mappings) {
  const auto fd = files.open_file("pagemap", O_RDONLY);
  if (!fd) return fd.error();
  if (!*fd) return std::optional<PagemapReading>();
  PagemapReading reading;
  Reader reader((*fd)->get(), static_cast<Bytes>(::sysconf(_SC_PAGESIZE)), reading);
  for (const auto& mapping : mappings) {
    if (!mapping.is_user_space() || mapping.is_raw_memory() || mapping.is_hugetlb()) continue;
    switch (reader.read(mapping)) {
      case Outcome::done: break;
      case Outcome::gone: return std::optional<PagemapReading>();
      case Outcome::failed:
        return Error{"cannot read /proc/" + std::to_string(files.pid()) + "/pagemap: " + std::strerror(errno)};
    }
  }
  return std::optional(std::move(reading));
}

}  // namespace memswell::smaps
