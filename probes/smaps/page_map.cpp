#include "probes/smaps/page_map.h"

#include <algorithm>
#include <cstdlib>
#include <string_view>

#include "probes/smaps/pagemap_file.h"

namespace memswell::smaps {
namespace {

bool switched_off_by_environment() {
  const char* value = std::getenv("MEMSWELL_NO_PAGEMAP_SCAN");
  return value != nullptr && *value != '\0' && std::string_view(value) != "0";
}

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

}  // namespace

PageSource page_source(PageFacility wanted) {
  const bool scan = wanted == PageFacility::best && !switched_off_by_environment() && page_scan_available();
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
    return std::optional(PageMap{source, std::move(**runs), 0});
  }
  auto reading = read_pagemap(files, mappings);
  if (!reading) return reading.error();
  if (!*reading) return std::optional<PageMap>();
  return std::optional(PageMap{source, settle_ambiguous_pages((*reading)->runs, mappings), (*reading)->unread_bytes});
}

}  // namespace memswell::smaps
