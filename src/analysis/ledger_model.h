// The ledger of one snapshot: every resident byte has one owner.
//
//   sum of rows + own_bytes + difference_bytes == smaps_rss_bytes
//
// `difference_bytes` is what changed while a busy process was read; it is shown and never absorbed by a row. What
// lies beside the sum (untouched, swapped, …) is memory that is not resident, or a second view of bytes in a row.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/stack_model.h"
#include "base/ids.h"
#include "trace/events.h"

namespace memswell::analysis {

// One row each, in printed order.
enum class Owner : std::uint8_t {
  heap_live,
  heap_slack,
  heap_headers,
  heap_trimmable,
  heap_pinned,
  heap_cached,
  pool_idle,
  mapped,
  stacks,
  files,
  shared,
  kernel,
  unknown,
};
inline constexpr std::size_t kOwners = 13;

struct OwnerText {
  Owner owner;
  std::string_view key;    // JSON
  std::string_view words;  // for a person
  std::string_view term;   // the expert's word
};
extern const std::array<OwnerText, kOwners> kOwnerTexts;  // by Owner

struct FileRow {
  std::string path;
  Bytes clean_bytes = 0;
  Bytes dirty_bytes = 0;   // written pages of the file and private copies (anonymous) in its mapping
  Bytes copied_bytes = 0;  // of these, the private copies
};

// The part of one site in a snapshot.
struct SiteShare {
  SiteIndex site;
  Bytes live_bytes = 0;  // requested
  std::uint64_t live_blocks = 0;
  Bytes resident_bytes = 0;       // requested bytes on resident pages
  Bytes untouched_bytes = 0;      // requested bytes on pages that were never there
  Bytes slack_bytes = 0;          // resident rounding
  Bytes overallocated_bytes = 0;  // requested less what memswell_used told
  Bytes pinned_bytes = 0;         // its share of the free bytes on pages where its blocks are among the survivors
  Bytes returns_bytes = 0;        // what malloc_trim(0) would return more if this site freed its blocks here
  Bytes returns_bound_bytes = 0;  // of these, what may stay in the cache of the thread that frees
  bool returns_known = false;     // computed (for the sites that pin most)
  Bytes mapped_bytes = 0;         // resident bytes of its mmap and sbrk calls
  Bytes mapped_size_bytes = 0;    // address space of these
  Bytes huge_bytes = 0;           // of its blocks and mappings, on pages of 2 MiB
  Bytes idle_bytes = 0;           // of its blocks and mappings: resident, not written in the phase that ends here
};

// One heap of the allocator: [heap], or a thread arena's heap (glibc: aligned 64 MiB).
struct ArenaRow {
  Address begin = 0;
  Address end = 0;
  Bytes resident_bytes = 0;
  Bytes live_bytes = 0;       // requested, resident
  Bytes free_bytes = 0;       // resident, in no live block and no header of one
  Bytes trimmable_bytes = 0;  // of free_bytes: what malloc_trim(0) would return (glibc)
  std::uint64_t live_blocks = 0;
  bool main = false;
  SiteIndex highest_site;  // of the live block that lies highest; meaningful if live_blocks > 0
};

struct Beside {
  Bytes untouched_bytes = 0;  // inside live blocks, page never touched
  Bytes swapped_bytes = 0;
  Bytes lazily_freed_bytes = 0;   // MADV_FREE: given back, still counted in RSS
  Bytes zero_read_bytes = 0;      // only read: maps the kernel's zero page, not in RSS
  Bytes huge_rounding_bytes = 0;  // resident only because of a 2 MiB page: its part outside live blocks
  Bytes overallocated_bytes = 0;  // told by memswell_used
  Bytes idle_bytes = 0;           // in live blocks and mappings, not written since idle_since_ns (run --idle)
};

struct LedgerRow {
  Owner owner = Owner::unknown;
  Bytes bytes = 0;
};

struct LedgerSnapshot {
  std::string at;  // "phase NAME", "peak", "exit", …: unique enough to be read by a person
  trace::SnapshotCause cause = trace::SnapshotCause::periodic;
  std::string phase;  // the phase in which it was taken (for cause phase: that which begins)
  Nanoseconds time_ns = 0;
  Bytes rss_bytes = 0;  // smaps_rss_bytes − own_bytes
  Bytes smaps_rss_bytes = 0;
  Bytes own_bytes = 0;
  Bytes private_dirty_bytes = 0;  // own left out
  Bytes pss_bytes = 0;            // own left out
  std::vector<LedgerRow> rows;    // all owners, in printed order, zeros too
  std::int64_t difference_bytes = 0;
  Beside beside;
  Bytes live_bytes = 0;  // requested, resident or not
  Bytes usable_bytes = 0;
  std::uint64_t live_blocks = 0;
  trace::PageSource source = trace::PageSource::none;
  bool consistent = false;  // no thread was inside the allocator, and events stop where the pages were read
  Nanoseconds pause_ns = 0;
  std::optional<Nanoseconds> idle_since_ns;  // writes were tracked from then on, to here
  bool heap_exact = false;          // glibc's geometry was used; else heap rows other than live and slack are estimates
  Bytes ambiguous_bytes = 0;        // zero page or shared page: the source could not tell; bounded by smaps Rss
  Bytes page_bytes_returnable = 0;  // what malloc_trim(0) would return: whole pages, = the heap_trimmable row
  Bytes top_bytes = 0;              // of it, at the top of a heap
  std::uint64_t free_pieces = 0;    // stretches that make up the trimmable bytes
  Bytes largest_piece_bytes = 0;
  std::optional<SiteIndex> piece_holder;  // of the live block right above the largest piece; none: it is the top
  Bytes piece_holder_bytes = 0;           // requested of that block
  std::uint32_t thread_stacks = 0;        // of threads, mapped now; the main thread's is not among them
  Bytes thread_stack_reserved_bytes = 0;  // address space of these
  std::vector<SiteShare> sites;     // largest first by resident + pinned + mapped
  std::vector<FileRow> files;       // largest first
  std::vector<ArenaRow> arenas;

  Bytes row(Owner owner) const { return rows.empty() ? 0 : rows[static_cast<std::size_t>(owner)].bytes; }
};

}  // namespace memswell::analysis
