#include "analysis/folded_footprint.h"

#include <algorithm>
#include <utility>

#include "probes/smaps/smaps_parser.h"

namespace memswell::analysis {
namespace {

using Entry = FoldedFootprint::Entry;

bool is_reading(const Entry& entry) { return std::holds_alternative<trace::SmapsSnapshot>(entry.what); }

// Sums since the last ones that are kept.
void merge(std::optional<trace::CallTotals>& into, const trace::CallTotals& later) {
  const std::optional<trace::CallTotals> before = std::exchange(into, later);
  if (!before || before->peak_live_bytes < later.peak_live_bytes) return;
  into->peak_live_bytes = before->peak_live_bytes;
  into->peak_live_ns = before->peak_live_ns;
}

// The first entry of a kind with the largest figure (smallest: negative figures).
template <class Figure>
void keep_largest(const std::vector<Entry>& entries, bool readings, std::vector<bool>& kept, Figure figure) {
  std::optional<std::size_t> best;
  for (std::size_t i = 0; i < entries.size(); ++i) {
    if (is_reading(entries[i]) != readings) continue;
    if (!best || figure(entries[i]) > figure(entries[*best])) best = i;
  }
  if (best) kept[*best] = true;
}

void keep_last(const std::vector<Entry>& entries, bool readings, std::vector<bool>& kept) {
  for (std::size_t i = entries.size(); i-- > 0;) {
    if (is_reading(entries[i]) != readings) continue;
    kept[i] = true;
    return;
  }
}

std::int64_t rss(const Entry& entry) { return static_cast<std::int64_t>(entry.rss_bytes); }
std::int64_t other(const Entry& entry) { return static_cast<std::int64_t>(entry.other_bytes); }
Bytes kernel_peak(const Entry& entry) { return std::get<trace::Sample>(entry.what).peak_rss_bytes; }

std::vector<bool> readings_to_keep(const std::vector<Entry>& entries) {
  std::vector<bool> kept(entries.size(), false);
  keep_largest(entries, true, kept, rss);
  keep_largest(entries, true, kept, other);
  keep_last(entries, true, kept);
  return kept;
}

std::vector<bool> to_keep(const std::vector<Entry>& entries) {
  std::vector<bool> kept = readings_to_keep(entries);
  keep_largest(entries, false, kept, rss);
  keep_largest(entries, false, kept, [](const Entry& entry) { return -rss(entry); });
  keep_largest(entries, false, kept, other);
  keep_largest(entries, false, kept, [](const Entry& entry) { return -other(entry); });
  keep_largest(entries, false, kept, kernel_peak);
  keep_last(entries, false, kept);
  return kept;
}

}  // namespace

void FoldedFootprint::add(const trace::CallTotals& totals) { merge(totals_, totals); }

void FoldedFootprint::add(Entry entry, Nanoseconds time) {
  if (entries_.empty()) begin_ = time;
  entry.totals = std::exchange(totals_, std::nullopt);
  entries_.push_back(std::move(entry));
}

void FoldedFootprint::add(const trace::Sample& sample, const trace::FoldedLive& live) {
  const Bytes own = std::min(sample.own_bytes, sample.rss_bytes);
  add(Entry{{}, live, sample, sample.rss_bytes - own, own}, sample.time);
}

void FoldedFootprint::add(const trace::SmapsSnapshot& reading, const trace::FoldedLive& live) {
  Entry entry{{}, live, reading, 0, 0};
  if (const auto text = smaps::parse_smaps(reading.smaps)) {
    const auto sum = smaps::total(text->mappings);
    entry.rss_bytes = sum.rss_bytes;
    entry.other_bytes = sum.private_dirty_bytes;
  }
  add(std::move(entry), reading.time);
  drop_readings();
}

// Their texts are large: those that will not be kept go at once.
void FoldedFootprint::drop_readings() {
  const std::vector<bool> kept = readings_to_keep(entries_);
  for (std::size_t i = entries_.size(); i-- > 0;) {
    if (kept[i] || !is_reading(entries_[i])) continue;
    std::optional<trace::CallTotals> totals = entries_[i].totals;
    entries_.erase(entries_.begin() + static_cast<std::ptrdiff_t>(i));
    ++readings_left_out_;
    if (!totals) continue;
    std::optional<trace::CallTotals>& next = i < entries_.size() ? entries_[i].totals : totals_;
    if (next) merge(totals, *next);
    next = totals;
  }
}

std::vector<FoldedFootprint::Entry> FoldedFootprint::take() {
  const std::vector<bool> kept = to_keep(entries_);
  std::vector<Entry> taken;
  std::optional<trace::CallTotals> totals;
  for (std::size_t i = 0; i < entries_.size(); ++i) {
    if (entries_[i].totals) merge(totals, *entries_[i].totals);
    if (!kept[i]) {
      samples_left_out_ += is_reading(entries_[i]) ? 0u : 1u;
      readings_left_out_ += is_reading(entries_[i]) ? 1u : 0u;
      continue;
    }
    entries_[i].totals = std::exchange(totals, std::nullopt);
    taken.push_back(std::move(entries_[i]));
  }
  entries_.clear();
  return taken;
}

std::optional<trace::CallTotals> FoldedFootprint::take_totals() { return std::exchange(totals_, std::nullopt); }

}  // namespace memswell::analysis
