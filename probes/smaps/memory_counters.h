// The byte counters that the kernel keeps for a mapping or a whole process, as /proc/PID/smaps names them
// (proc(5), fs/proc/task_mmu.c). One table row a counter: parsing, summing and printing go over the same rows.
#pragma once

#include <span>
#include <string_view>

#include "base/ids.h"

namespace memswell::smaps {

struct MemoryCounters {
  Bytes size_bytes = 0;  // address space; not in smaps_rollup
  Bytes rss_bytes = 0;
  Bytes pss_bytes = 0;  // each page divided by the number of processes that map it
  Bytes pss_dirty_bytes = 0;
  Bytes pss_anon_bytes = 0;  // this and the next two: smaps_rollup only
  Bytes pss_file_bytes = 0;
  Bytes pss_shmem_bytes = 0;
  Bytes shared_clean_bytes = 0;
  Bytes shared_dirty_bytes = 0;
  Bytes private_clean_bytes = 0;
  Bytes private_dirty_bytes = 0;
  Bytes referenced_bytes = 0;
  Bytes anonymous_bytes = 0;
  Bytes ksm_bytes = 0;
  Bytes lazy_free_bytes = 0;
  Bytes anon_huge_bytes = 0;
  Bytes shmem_pmd_bytes = 0;
  Bytes file_pmd_bytes = 0;
  Bytes shared_hugetlb_bytes = 0;  // hugetlb pages are not in rss_bytes
  Bytes private_hugetlb_bytes = 0;
  Bytes swap_bytes = 0;
  Bytes swap_pss_bytes = 0;
  Bytes locked_bytes = 0;

  MemoryCounters& operator+=(const MemoryCounters& other);
  friend bool operator==(const MemoryCounters&, const MemoryCounters&) = default;
};

struct CounterRow {
  std::string_view key;     // in the text of the kernel: "Private_Dirty"
  std::string_view column;  // in our tables: "private_dirty"
  Bytes MemoryCounters::*member;
};

// In the order in which the kernel prints them.
std::span<const CounterRow> counter_rows();

}  // namespace memswell::smaps
