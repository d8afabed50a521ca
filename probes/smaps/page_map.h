// Residency of all pages of a process, by the best way that works here: PAGEMAP_SCAN, else /proc/PID/pagemap.
// With MEMSWELL_NO_PAGEMAP_SCAN=1 in the environment, or PageFacility::pagemap, the second way is taken anyhow.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "base/ids.h"
#include "base/result.h"
#include "probes/smaps/page_run.h"
#include "probes/smaps/page_scan.h"
#include "probes/smaps/process_files.h"
#include "probes/smaps/smaps_parser.h"

namespace memswell::smaps {

// The values are those of trace::PageSource; capture asserts it.
enum class PageSource : std::uint8_t { none = 0, pagemap_scan = 1, pagemap = 2, smaps_only = 3 };

enum class PageFacility { best, pagemap };

// What read_page_map will use with `wanted` on this machine.
PageSource page_source(PageFacility wanted = PageFacility::best);

struct PageMap {
  PageSource source = PageSource::none;
  std::vector<PageRun> runs;  // ordered, not overlapping, only pages that are present or swapped
  Bytes unread_bytes = 0;     // source pagemap: reserved address space not looked at (pagemap_file.h) …
  Bytes missed_bytes = 0;     // … and resident or swapped bytes in it that are not among the runs
};

// nullopt: the process is gone. `mappings` are those of a smaps read in the same moment: source pagemap learns from
// them what to read, and tells zero pages from pages shared by fork; both sources leave out those of hugetlbfs.
Result<std::optional<PageMap>> read_page_map(const ProcessFiles& files, std::span<const Mapping> mappings,
                                             PageFacility wanted = PageFacility::best,
                                             const PageScanOptions& options = {});

// Decides about the maybe_zero_page runs of each mapping by its Rss: zero pages are not in it, shared pages are. Where
// both kinds are mixed in one mapping the mark stays, and the Rss less the other pages says how many of them count.
std::vector<PageRun> settle_ambiguous_pages(std::span<const PageRun> runs, std::span<const Mapping> mappings);

// The runs without those in mappings of hugetlbfs, whose pages RSS does not count.
std::vector<PageRun> without_hugetlb(std::vector<PageRun> runs, std::span<const Mapping> mappings);

struct PageTotals {
  Bytes resident_bytes = 0;  // as in RSS
  Bytes zero_page_bytes = 0;
  Bytes ambiguous_bytes = 0;  // still maybe_zero_page
  Bytes swapped_bytes = 0;
  Bytes huge_bytes = 0;  // part of resident
};

// Over the runs' parts within [begin, end).
PageTotals page_totals(std::span<const PageRun> runs, Address begin = 0, Address end = ~Address{0});

}  // namespace memswell::smaps
