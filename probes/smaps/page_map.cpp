#include "probes/smaps/page_map.h"

#include <algorithm>

#include "probes/smaps/pagemap_file.h"
#include "probes/smaps/settings.h"

namespace memswell::smaps {
namespace {

enum class Verdict { zero_pages, shared_pages, unknown };

Verdict judge(const PageTotals& pages, Bytes rss_bytes) {
  if (rss_bytes <= pages.resident_bytes) return Verdict::zero_pages;
  if (rss_bytes >= pages.resident_bytes + pages.ambiguous_bytes) return Verdict::shared_pages;
  return Verdict::unknown;
}

std::uint32_t settled(std::uint32_t bits, Verdict verdict) {
  switch (verdict) {
    case Verdict::zero_pages: return PageBit::present | PageBit::zero_page;
    case Verdict::shared_pages: return bits & ~static_cast<std::uint32_t>(PageBit::maybe_zero_page);
    case Verdict::unknown: return bits;
  }
  return bits;
}

// The runs that reach into [begin, end), ordered as they are.
std::span<const PageRun> runs_within(std::span<const PageRun> runs, Address begin, Address end) {
  const auto first = std::ranges::upper_bound(runs, begin, {}, &PageRun::end);
  const auto last = std::ranges::lower_bound(first, runs.end(), end, {}, &PageRun::begin);
  return {first, last};
}

// What is left of the runs outside of [begin, end).
std::vector<PageRun> cut_out(std::span<const PageRun> runs, Address begin, Address end) {
  std::vector<PageRun> out;
  out.reserve(runs.size() + 1);
  for (const auto& run : runs) {
    if (run.begin < begin) out.push_back({run.begin, std::min(run.end, begin), run.bits});
    if (run.end > end) out.push_back({std::max(run.begin, end), run.end, run.bits});
  }
  return out;
}

}  // namespace

// RSS does not count hugetlbfs: neither does a page map.
std::vector<PageRun> without_hugetlb(std::vector<PageRun> runs, std::span<const Mapping> mappings) {
  for (const auto& mapping : mappings) {
    if (mapping.is_hugetlb()) runs = cut_out(runs, mapping.begin, mapping.end);
  }
  return runs;
}

PageSource page_source(PageFacility wanted) {
  const bool scan =
      wanted == PageFacility::best && !is_switched_on("MEMSWELL_NO_PAGEMAP_SCAN") && page_scan_available();
  return scan ? PageSource::pagemap_scan : PageSource::pagemap;
}

PageTotals page_totals(std::span<const PageRun> runs, Address begin, Address end) {
  PageTotals totals;
  for (const auto& run : runs_within(runs, begin, end)) {
    const Bytes bytes = std::min(run.end, end) - std::max(run.begin, begin);
    if (run.is_resident()) totals.resident_bytes += bytes;
    if (run.is_resident() && has(run.bits, PageBit::huge)) totals.huge_bytes += bytes;
    if (has(run.bits, PageBit::zero_page)) totals.zero_page_bytes += bytes;
    if (has(run.bits, PageBit::maybe_zero_page)) totals.ambiguous_bytes += bytes;
    if (has(run.bits, PageBit::swapped)) totals.swapped_bytes += bytes;
  }
  return totals;
}

std::vector<PageRun> settle_ambiguous_pages(std::span<const PageRun> runs, std::span<const Mapping> mappings) {
  std::vector<PageRun> out;
  out.reserve(runs.size());
  for (const auto& mapping : mappings) {
    const auto verdict = judge(page_totals(runs, mapping.begin, mapping.end), mapping.rss_bytes);
    for (const auto& run : runs_within(runs, mapping.begin, mapping.end)) {
      const auto bits = has(run.bits, PageBit::maybe_zero_page) ? settled(run.bits, verdict) : run.bits;
      append_run(out, {std::max(run.begin, mapping.begin), std::min(run.end, mapping.end), bits});
    }
  }
  return out;
}

Result<std::optional<PageMap>> read_page_map(const ProcessFiles& files, std::span<const Mapping> mappings,
                                             PageFacility wanted, const PageScanOptions& options) {
  const auto source = page_source(wanted);
  if (source == PageSource::pagemap_scan) {
    auto runs = scan_pages(files, options);
    if (!runs) return runs.error();
    if (!*runs) return std::optional<PageMap>();
    return std::optional(PageMap{source, without_hugetlb(std::move(**runs), mappings), 0, 0});
  }
  auto reading = read_pagemap(files, mappings);
  if (!reading) return reading.error();
  if (!*reading) return std::optional<PageMap>();
  const auto& read = **reading;
  return std::optional(
      PageMap{source, settle_ambiguous_pages(read.runs, mappings), read.unread_bytes, read.missed_bytes});
}

}  // namespace memswell::smaps
