// Residency by reading /proc/PID/pagemap (Linux 4.2; Documentation/admin-guide/mm/pagemap.rst): the way before 6.7, and
// the only one that tells private pages from those shared by fork. 10 to 17 ms per GB of mapped address space.
//
// Without privilege an entry cannot tell the zero page from an anonymous page shared by fork: both are present, not of
// a file, not exclusive. Such pages are marked maybe_zero_page; settle_ambiguous_pages (page_map.h) decides by smaps
// Rss.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "base/result.h"
#include "probes/smaps/page_run.h"
#include "probes/smaps/process_files.h"
#include "probes/smaps/smaps_parser.h"

namespace memswell::smaps {

struct PagemapReading {
  std::vector<PageRun> runs;
  Bytes unread_bytes = 0;  // address space not looked at, of mappings larger than kLargestFullRead …
  Bytes missed_bytes = 0;  // … and how much of what smaps counts there was not found
};

// Mappings beyond this (address spaces reserved by sanitizers and language run-times) are read only until all pages
// that smaps counts in them were found, and not further than kLongestRead; not at all where it counts none.
inline constexpr Bytes kLargestFullRead = Bytes{4} << 30;
inline constexpr Bytes kLongestRead = Bytes{128} << 30;

// PageBits of one 64-bit entry; 0: neither present nor swapped, or a guard page.
std::uint32_t bits_of_pagemap_entry(std::uint64_t entry);

// Does reading untouched memory map the shared zero page here, as Linux does, or a page of its own, which then counts
// in RSS? Some virtual machines switch the zero page off. Tried on one page of the own process at the first call.
bool reads_map_the_zero_page();

// nullopt: the process is gone. `mappings` are those of smaps, taken a moment ago.
Result<std::optional<PagemapReading>> read_pagemap(const ProcessFiles& files, std::span<const Mapping> mappings);

}  // namespace memswell::smaps
