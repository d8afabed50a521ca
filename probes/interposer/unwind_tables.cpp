#include "unwind_tables.h"

#include <sys/mman.h>

#include <atomic>

#include "module_headers.h"
#include "process.h"
#include "system_calls.h"

namespace memswell::probe {
namespace {

constexpr std::uint32_t kModules = 64;
constexpr std::uint32_t kReadingsBetweenDrops = 32;

struct Tables {
  std::atomic<std::uintptr_t> header{0};  // 0: free entry
  std::uintptr_t begin = 0, end = 0;      // whole pages; end = 0: not to be dropped
  std::atomic<std::uint32_t> touched{0};
};

constinit Tables tables[kModules];
constinit std::atomic<std::uint32_t> readings{0};

// From the header to the end of its segment: .eh_frame_hdr, .eh_frame and .gcc_except_table lie there. Only if the segment
// cannot be written, so that every page of it can be had back from the file.
void find_pages(const ModuleOfPc& m, Tables& t) {
  const auto header = reinterpret_cast<std::uintptr_t>(m.eh_frame_header);
  const ModuleHeaders headers = module_headers(m);
  for (std::size_t i = 0; i < headers.count; ++i) {
    const Elf64_Phdr& segment = headers.segments[i];
    const std::uintptr_t begin = m.bias + segment.p_vaddr, end = begin + segment.p_memsz;
    if (segment.p_type != PT_LOAD || header < begin || header >= end) continue;
    if ((segment.p_flags & (PF_W | PF_X)) != 0) return;
    t.begin = (header + format::kPageBytes - 1) & ~(format::kPageBytes - 1);
    t.end = end & ~(format::kPageBytes - 1);
    return;
  }
}

Tables* tables_of(const ModuleOfPc& m) {
  const auto header = reinterpret_cast<std::uintptr_t>(m.eh_frame_header);
  for (Tables& t : tables) {
    std::uintptr_t seen = t.header.load(std::memory_order_acquire);
    if (seen == header) return &t;
    if (seen == 0 && t.header.compare_exchange_strong(seen, header)) {
      t.begin = t.end = 0;
      find_pages(m, t);
      return &t;
    }
  }
  return nullptr;
}

}  // namespace

void touched_unwind_tables(const ModuleOfPc& m) {
  if (m.eh_frame_header == nullptr) return;
  if (Tables* t = tables_of(m)) t->touched.store(1, std::memory_order_release);
  if (readings.fetch_add(1, std::memory_order_relaxed) >= kReadingsBetweenDrops) drop_unwind_tables();
}

void forget_unwind_tables() {
  for (Tables& t : tables) {
    t.touched.store(0, std::memory_order_relaxed);
    t.header.store(0, std::memory_order_release);
  }
}

void drop_unwind_tables() {
  readings.store(0, std::memory_order_relaxed);
  if (process.sandboxed.load(std::memory_order_relaxed) != 0) return;
  for (Tables& t : tables) {
    if (t.header.load(std::memory_order_acquire) == 0) break;
    if (t.touched.exchange(0, std::memory_order_acquire) == 0 || t.begin >= t.end) continue;
    system_call(SYS_madvise, static_cast<long>(t.begin), static_cast<long>(t.end - t.begin), MADV_DONTNEED);
  }
}

}  // namespace memswell::probe
