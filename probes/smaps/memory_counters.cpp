#include "probes/smaps/memory_counters.h"

namespace memswell::smaps {
namespace {

using C = MemoryCounters;

constexpr CounterRow kRows[] = {
    {"Size", "size", &C::size_bytes},
    {"Rss", "rss", &C::rss_bytes},
    {"Pss", "pss", &C::pss_bytes},
    {"Pss_Dirty", "pss_dirty", &C::pss_dirty_bytes},
    {"Pss_Anon", "pss_anon", &C::pss_anon_bytes},
    {"Pss_File", "pss_file", &C::pss_file_bytes},
    {"Pss_Shmem", "pss_shmem", &C::pss_shmem_bytes},
    {"Shared_Clean", "shared_clean", &C::shared_clean_bytes},
    {"Shared_Dirty", "shared_dirty", &C::shared_dirty_bytes},
    {"Private_Clean", "private_clean", &C::private_clean_bytes},
    {"Private_Dirty", "private_dirty", &C::private_dirty_bytes},
    {"Referenced", "referenced", &C::referenced_bytes},
    {"Anonymous", "anonymous", &C::anonymous_bytes},
    {"KSM", "ksm", &C::ksm_bytes},
    {"LazyFree", "lazy_free", &C::lazy_free_bytes},
    {"AnonHugePages", "anon_huge", &C::anon_huge_bytes},
    {"ShmemPmdMapped", "shmem_pmd", &C::shmem_pmd_bytes},
    {"FilePmdMapped", "file_pmd", &C::file_pmd_bytes},
    {"Shared_Hugetlb", "shared_hugetlb", &C::shared_hugetlb_bytes},
    {"Private_Hugetlb", "private_hugetlb", &C::private_hugetlb_bytes},
    {"Swap", "swap", &C::swap_bytes},
    {"SwapPss", "swap_pss", &C::swap_pss_bytes},
    {"Locked", "locked", &C::locked_bytes},
};
static_assert(sizeof(MemoryCounters) == std::size(kRows) * sizeof(Bytes), "a counter without a row");

}  // namespace

std::span<const CounterRow> counter_rows() { return kRows; }

MemoryCounters& MemoryCounters::operator+=(const MemoryCounters& other) {
  for (const auto& row : kRows) this->*row.member += other.*row.member;
  return *this;
}

}  // namespace memswell::smaps
