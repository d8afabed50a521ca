#include "workloads/machine.h"

#include <sys/mman.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <sstream>

#ifdef __GLIBC__
inline constexpr bool kGlibc = true;
#else
inline constexpr bool kGlibc = false;
#endif

namespace memswell::workloads {
namespace {

std::string contents(const char* path) {
  std::ifstream file(path);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

// mincore(2) would do for files; for anonymous memory only RSS tells a frame from the zero page.
long resident_pages() {
  std::istringstream statm(contents("/proc/self/statm"));
  long size = 0, resident = 0;
  statm >> size >> resident;
  return resident;
}

// Some kernels give a page of its own even to a read (virtual machines without a zero page).
bool reads_map_zero_page() {
  constexpr std::size_t kPages = 1024;
  void* p = ::mmap(nullptr, kPages * 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (p == MAP_FAILED) return false;
  const long before = resident_pages();
  for (std::size_t at = 0; at < kPages * 4096; at += 4096) (void)static_cast<const volatile char*>(p)[at];
  const long after = resident_pages();
  ::munmap(p, kPages * 4096);
  return after - before < static_cast<long>(kPages / 2);
}

}  // namespace

Machine probe_machine() {
  const std::string huge = contents("/sys/kernel/mm/transparent_hugepage/enabled");
  Machine machine;
  machine.glibc = kGlibc && std::getenv("LD_PRELOAD") == nullptr;
  machine.small_pages = ::sysconf(_SC_PAGESIZE) == 4096;
  machine.huge_pages_forced = huge.find("[always]") != std::string::npos;
  machine.huge_pages_offered = machine.huge_pages_forced || huge.find("[madvise]") != std::string::npos;
  machine.swap = contents("/proc/meminfo").find("SwapTotal:             0 kB") == std::string::npos;
  machine.zero_page = reads_map_zero_page();
  return machine;
}

std::string compiler() {
#ifdef __clang__
  return "Clang " __clang_version__;
#else
  return "GCC " __VERSION__;
#endif
}

std::string Machine::objection() const {
  if (!glibc) return "the allocator is not glibc's";
  if (!small_pages) return "pages are not of 4 KiB";
  if (huge_pages_forced) return "transparent huge pages are always on";
  if (swap) return "there is swap, and pages may be written to it";
  return "";
}

}  // namespace memswell::workloads
