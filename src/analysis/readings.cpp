#include "analysis/readings.h"

#include <algorithm>
#include <array>

#include "probes/smaps/status_parser.h"

namespace memswell::analysis {
namespace {

constexpr std::array kFields{
    &SmapsFigures::size_bytes,          &SmapsFigures::rss_bytes,          &SmapsFigures::pss_bytes,
    &SmapsFigures::shared_clean_bytes,  &SmapsFigures::shared_dirty_bytes, &SmapsFigures::private_clean_bytes,
    &SmapsFigures::private_dirty_bytes, &SmapsFigures::swap_bytes,         &SmapsFigures::anonymous_bytes,
    &SmapsFigures::lazy_free_bytes,     &SmapsFigures::huge_bytes};

// A mapping that took up an own range besides the program's memory (anonymous neighbours merge): the range's part of
// its address space bounds what is ours.
SmapsFigures own_part(const smaps::Mapping& mapping, Bytes overlap) {
  SmapsFigures part = figures_of(mapping);
  for (auto field : kFields) part.*field = std::min(part.*field, overlap);
  return part;
}

void read_mappings(Reading& reading, std::vector<smaps::Mapping> mappings, const std::vector<trace::OwnRange>& own) {
  SmapsFigures all, ours;
  for (const smaps::Mapping& mapping : mappings) {
    if (!mapping.is_user_space()) continue;
    add(all, figures_of(mapping));
    if (is_own(mapping, own)) {
      add(ours, figures_of(mapping));
    } else if (const Bytes overlap = own_overlap(mapping.begin, mapping.end, own); overlap > 0) {
      add(ours, own_part(mapping, overlap));
    }
  }
  reading.own = ours;
  reading.figures = less(all, ours);
  reading.full = true;
  reading.mappings = std::move(mappings);
}

}  // namespace

bool is_own(const smaps::MappingRange& mapping, const std::vector<trace::OwnRange>& own) {
  if (mapping.name.find("memfd:memswell") != std::string::npos) return true;
  if (mapping.name.ends_with("/libmemswell.so")) return true;
  return own_overlap(mapping.begin, mapping.end, own) == mapping.bytes();
}

Bytes own_overlap(Address begin, Address end, const std::vector<trace::OwnRange>& own) {
  Bytes sum = 0;
  for (const trace::OwnRange& range : own) {
    const Address from = std::max(begin, range.begin);
    const Address to = std::min(end, range.end);
    if (to > from) sum += to - from;
  }
  return sum;
}

SmapsFigures figures_of(const smaps::MemoryCounters& counters) {
  SmapsFigures figures;
  figures.size_bytes = counters.size_bytes;
  figures.rss_bytes = counters.rss_bytes;
  figures.pss_bytes = counters.pss_bytes;
  figures.shared_clean_bytes = counters.shared_clean_bytes;
  figures.shared_dirty_bytes = counters.shared_dirty_bytes;
  figures.private_clean_bytes = counters.private_clean_bytes;
  figures.private_dirty_bytes = counters.private_dirty_bytes;
  figures.swap_bytes = counters.swap_bytes;
  figures.anonymous_bytes = counters.anonymous_bytes;
  figures.lazy_free_bytes = counters.lazy_free_bytes;
  figures.huge_bytes = counters.anon_huge_bytes;
  return figures;
}

SmapsFigures less(const SmapsFigures& all, const SmapsFigures& part) {
  SmapsFigures rest;
  for (auto field : kFields) rest.*field = all.*field - std::min(all.*field, part.*field);
  return rest;
}

void add(SmapsFigures& sum, const SmapsFigures& part) {
  for (auto field : kFields) sum.*field += part.*field;
}

Reading read_snapshot(const trace::SmapsSnapshot& snapshot, const std::vector<trace::OwnRange>& own,
                      const SmapsFigures& last_own) {
  Reading reading;
  reading.time_ns = snapshot.time;
  reading.cause = snapshot.cause;
  reading.own = last_own;
  if (!snapshot.smaps.empty()) {
    Result<smaps::SmapsText> text = smaps::parse_smaps(snapshot.smaps);
    if (text && text->complete) read_mappings(reading, std::move(text->mappings), own);
  }
  if (!reading.full && !snapshot.rollup.empty()) {
    if (const Result<smaps::MemoryCounters> rollup = smaps::parse_smaps_rollup(snapshot.rollup)) {
      reading.figures = less(figures_of(*rollup), last_own);
    }
  }
  if (const Result<smaps::Status> status = smaps::parse_status(snapshot.status); status && status->has_memory) {
    reading.peak_rss_bytes = status->memory.high_water_mark_bytes;
  }
  return reading;
}

}  // namespace memswell::analysis
