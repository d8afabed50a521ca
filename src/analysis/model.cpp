#include "analysis/model.h"

namespace memswell::analysis {

// Order is that of the enums; each table is checked by the test of its keys.
const std::array<OwnerText, kOwners> kOwnerTexts{{
    {Owner::heap_live, "heap_live", "in use by the program's blocks", "live"},
    {Owner::heap_slack, "heap_slack", "rounding by the allocator", "usable − requested"},
    {Owner::heap_headers, "heap_headers", "allocator bookkeeping", "headers"},
    {Owner::heap_trimmable, "heap_trimmable", "freed, can be returned now", "malloc_trim"},
    {Owner::heap_pinned, "heap_pinned", "freed, a live block shares the page", "pinned"},
    {Owner::heap_cached, "heap_cached", "kept by the allocator", "caches, metadata"},
    {Owner::pool_idle, "pool_idle", "parked on the program's own free list", "pool"},
    {Owner::mapped, "mapped", "mapped by the program", "mmap"},
    {Owner::stacks, "stacks", "stacks", "stacks"},
    {Owner::files, "files", "files", "executables, libraries, mapped files"},
    {Owner::shared, "shared", "shared memory", "shmem"},
    {Owner::kernel, "kernel", "mapped by the kernel", "vdso"},
    {Owner::unknown, "unknown", "not explained", "unknown"},
}};

std::string_view finding_key(FindingKind kind) {
  static constexpr std::array<std::string_view, kFindingKinds> kKeys{"free_list",
                                                                     "inner_allocator",
                                                                     "trimmable",
                                                                     "pinned",
                                                                     "overallocated_touched",
                                                                     "overallocated_untouched",
                                                                     "rounding",
                                                                     "lazy_calloc",
                                                                     "realloc_growth",
                                                                     "transient_peak",
                                                                     "growth",
                                                                     "unfreed",
                                                                     "temporary",
                                                                     "arenas",
                                                                     "tiny_blocks",
                                                                     "copy_on_write",
                                                                     "file_pages",
                                                                     "shared_memory",
                                                                     "huge_pages",
                                                                     "stacks",
                                                                     "allocator_cache",
                                                                     "lazily_freed",
                                                                     "reserved_address_space",
                                                                     "mapped_memory",
                                                                     "outside_heap",
                                                                     "events_lost",
                                                                     "not_preloaded",
                                                                     "peak_between_samples",
                                                                     "unnamed",
                                                                     "idle"};
  return kKeys[static_cast<std::size_t>(kind)];
}

std::string_view exit_reason_key(trace::EndReason reason) {
  static constexpr std::array<std::string_view, 6> kKeys{"running",          "exited",  "signalled",
                                                         "replaced_by_exec", "unknown", "oom_killed"};
  return kKeys[static_cast<std::size_t>(reason)];
}

std::uint64_t cost_of(const Figures& figures, Cost cost) {
  switch (cost) {
    case Cost::live_at_peak: return figures.live_at_peak_bytes;
    case Cost::own_peak: return figures.peak_live_bytes;
    case Cost::allocated: return figures.allocated_bytes;
    case Cost::calls: return figures.calls;
    case Cost::temporary: return figures.temporary;
    case Cost::unfreed: return figures.live_bytes;
    case Cost::slack: return figures.slack_at_peak_bytes;
  }
  return 0;
}

}  // namespace memswell::analysis
