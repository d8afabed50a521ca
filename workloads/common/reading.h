// What the kernel says about this process, read by itself: smaps_rollup, status, pagemap (proc(5)). No heap, so that
// the reading does not change what is read.
#pragma once

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <initializer_list>

#include "common/give_up.h"

namespace workload {

struct Reading {
  std::int64_t rss_bytes = 0;
  std::int64_t pss_bytes = 0;
  std::int64_t private_dirty_bytes = 0;
  std::int64_t private_clean_bytes = 0;
  std::int64_t shared_dirty_bytes = 0;
  std::int64_t lazy_free_bytes = 0;
  std::int64_t huge_bytes = 0;
  std::int64_t virtual_bytes = 0;
  std::int64_t peak_rss_bytes = 0;  // VmHWM
};

struct ReadingField {
  const char* name;  // in JSON
  const char* key;   // as the kernel writes it
  bool in_status;    // else in smaps_rollup
  std::int64_t Reading::*value;
};

inline constexpr ReadingField kReadingFields[] = {
    {"rss_bytes", "\nRss:", false, &Reading::rss_bytes},
    {"pss_bytes", "\nPss:", false, &Reading::pss_bytes},
    {"private_dirty_bytes", "\nPrivate_Dirty:", false, &Reading::private_dirty_bytes},
    {"private_clean_bytes", "\nPrivate_Clean:", false, &Reading::private_clean_bytes},
    {"shared_dirty_bytes", "\nShared_Dirty:", false, &Reading::shared_dirty_bytes},
    {"lazy_free_bytes", "\nLazyFree:", false, &Reading::lazy_free_bytes},
    {"huge_bytes", "\nAnonHugePages:", false, &Reading::huge_bytes},
    {"virtual_bytes", "\nVmSize:", true, &Reading::virtual_bytes},
    {"peak_rss_bytes", "\nVmHWM:", true, &Reading::peak_rss_bytes},
};

inline const char* read_small_file(const char* path) {
  static char text[16384];
  const int fd = ::open(path, O_RDONLY | O_CLOEXEC);
  std::size_t length = 0;
  for (ssize_t n = 1; fd >= 0 && length < sizeof text - 1 && n > 0; length += static_cast<std::size_t>(n > 0 ? n : 0))
    n = ::read(fd, text + length, sizeof text - 1 - length);
  if (fd >= 0) ::close(fd);
  text[length] = '\0';
  return text;
}

inline Reading read_self() {
  Reading reading;
  for (const bool in_status : {false, true}) {
    const char* text = read_small_file(in_status ? "/proc/self/status" : "/proc/self/smaps_rollup");
    for (const ReadingField& field : kReadingFields) {
      const char* found = field.in_status == in_status ? std::strstr(text, field.key) : nullptr;
      if (found != nullptr) reading.*field.value = std::strtoll(found + std::strlen(field.key), nullptr, 10) * 1024;
    }
  }
  return reading;
}

// Lets VmHWM begin anew at what is resident now (clear_refs, value 5).
inline void reset_peak_rss() {
  const int fd = ::open("/proc/self/clear_refs", O_WRONLY | O_CLOEXEC);
  if (fd < 0) return;
  if (::write(fd, "5", 1) != 1) std::abort();
  ::close(fd);
}

// Pages of private anonymous memory of a process that never forked, by /proc/self/pagemap: bit 63 present, 56 mapped
// once, 61 of a file. A page that was only read maps the kernel's zero page, which is not mapped once: present, but
// in no figure of smaps.
struct PageCount {
  std::uint64_t pages = 0, present = 0, zero = 0;
  std::uint64_t resident() const { return present - zero; }
};

inline PageCount count_pages(const void* begin, std::size_t bytes) {
  static std::uint64_t entries[512];
  PageCount count;
  const std::uint64_t first = reinterpret_cast<std::uint64_t>(begin) / 4096;
  const std::uint64_t last = (reinterpret_cast<std::uint64_t>(begin) + bytes + 4095) / 4096;
  const int fd = ::open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC);
  for (std::uint64_t page = first; fd >= 0 && page < last;) {
    const std::uint64_t want = last - page < 512 ? last - page : 512;
    const ssize_t got = ::pread(fd, entries, want * 8, static_cast<off_t>(page * 8));
    if (got <= 0) break;
    for (std::uint64_t i = 0; i < static_cast<std::uint64_t>(got) / 8; ++i, ++page) {
      const bool present = entries[i] >> 63 & 1;
      ++count.pages;
      count.present += present;
      count.zero += present && !(entries[i] >> 56 & 1) && !(entries[i] >> 61 & 1);
    }
  }
  if (fd >= 0) ::close(fd);
  return count;
}

// The whole pages inside [begin, begin + bytes).
inline PageCount count_whole_pages(const void* begin, std::size_t bytes) {
  const std::uint64_t from = (reinterpret_cast<std::uint64_t>(begin) + 4095) & ~std::uint64_t{4095};
  const std::uint64_t to = (reinterpret_cast<std::uint64_t>(begin) + bytes) & ~std::uint64_t{4095};
  return to > from ? count_pages(reinterpret_cast<const void*>(from), to - from) : PageCount{};
}

// Anonymous memory beside the heap, so that a workload's own tables do not stand between its blocks.
template <class T>
inline T* map_anonymous(std::size_t count) {
  void* p = ::mmap(nullptr, count * sizeof(T), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (p == MAP_FAILED) give_up("mmap", count * sizeof(T));
  return static_cast<T*>(p);
}

// Reads one byte of every page.
inline void read_pages(const void* p, std::size_t bytes) {
  for (std::size_t at = 0; at < bytes; at += 4096) (void)static_cast<const volatile char*>(p)[at];
}

// Writes one byte of every page.
inline void write_pages(void* p, std::size_t bytes, std::size_t stride = 4096) {
  for (std::size_t at = 0; at < bytes; at += stride) static_cast<volatile char*>(p)[at] = 1;
}

}  // namespace workload
