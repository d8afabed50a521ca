// The join: live blocks and resident pages of one snapshot, by address, into rows that sum to RSS.
//
//   pieces of live blocks (header, requested, rounding)  →  heap_headers, heap_live or pool_idle, heap_slack
//   what is left of the resident bytes of each zone      →  free memory of a heap, mapped, stacks, files, …
//
// Nothing is judged mapping by mapping; a resident byte is counted once, and the sum is compared with smaps Rss.
#pragma once

#include <optional>
#include <vector>

#include "analysis/ledger.h"
#include "analysis/ledger_model.h"
#include "analysis/mapped_ranges.h"
#include "analysis/zones.h"

namespace memswell::analysis {

struct PageLedgerInput {
  BlocksInOrder blocks;  // live at the snapshot
  const trace::PageSnapshot* pages = nullptr;
  const std::vector<smaps::Mapping>* mappings = nullptr;
  const MappedRanges* mapped = nullptr;
  const HeapHistory* history = nullptr;
  const PoolNotes* pool = nullptr;
  const UsedNotes* used = nullptr;
  const SiteOfStack* sites = nullptr;
  Allocator allocator = Allocator::glibc;
  std::optional<Nanoseconds> writes_since;  // if the pages tell what was written: since then
  std::size_t what_if_sites = 5;
};

// Fills everything but `at`, `cause`, `phase` and the readings of the whole process (RSS less own excepted).
LedgerSnapshot make_page_ledger(const PageLedgerInput& input);

}  // namespace memswell::analysis
