#include "capture/footprint.h"

#include <sys/resource.h>
#include <time.h>

#include <algorithm>
#include <utility>

#include "capture/own_pages.h"
#include "probes/smaps/high_water_mark.h"
#include "probes/smaps/page_map.h"
#include "probes/smaps/smaps_parser.h"
#include "probes/smaps/status_parser.h"

namespace memswell::capture {
namespace {

constexpr Nanoseconds kMillisecond = 1'000'000;
constexpr double kThoroughShare = 0.01;
constexpr double kPeakShare = 0.05;
constexpr double kMarkShare = 0.5;
constexpr Nanoseconds kThoroughInterval = 100 * kMillisecond;
constexpr Nanoseconds kYouth = 50 * kMillisecond;

// A snapshot of the pages is worth its cost when the footprint has grown by a twentieth since the last one.
bool is_new_peak(Bytes rss, Bytes at_last_snapshot) { return rss > at_last_snapshot + at_last_snapshot / 20 + (Bytes{1} << 20); }

static_assert(static_cast<std::uint32_t>(trace::PageBit::written) == static_cast<std::uint32_t>(smaps::PageBit::written));
static_assert(static_cast<std::uint32_t>(trace::PageBit::file) == static_cast<std::uint32_t>(smaps::PageBit::file));
static_assert(static_cast<std::uint8_t>(trace::PageSource::smaps_only) ==
              static_cast<std::uint8_t>(smaps::PageSource::smaps_only));

std::vector<trace::PageRun> runs_for_recording(const std::vector<smaps::PageRun>& runs) {
  std::vector<trace::PageRun> copied;
  copied.reserve(runs.size());
  for (const smaps::PageRun& run : runs) copied.push_back({run.begin, run.end, run.bits});
  return copied;
}

// Pages of files that the probe makes resident while it reads unwind tables, and lets go of soon after: up to 64 KiB for each
// of the few places that one reading looks at.
constexpr Bytes kUnwindTableBytes = 512 * 1024;

// By how much the pages contradict RSS. Pages that may be zero pages can count or not.
Bytes disagreement(const std::vector<trace::PageRun>& runs, Bytes rss) {
  constexpr auto kPresent = static_cast<std::uint32_t>(trace::PageBit::present);
  constexpr auto kZero = static_cast<std::uint32_t>(trace::PageBit::zero_page);
  constexpr auto kMaybeZero = static_cast<std::uint32_t>(trace::PageBit::maybe_zero_page);
  Bytes least = 0, most = 0;
  for (const trace::PageRun& run : runs) {
    if ((run.bits & (kPresent | kZero)) != kPresent) continue;
    most += run.end - run.begin;
    if ((run.bits & kMaybeZero) == 0) least += run.end - run.begin;
  }
  return rss > most ? rss - most : least - std::min(least, rss);
}

trace::SmapsSnapshot empty_smaps(const Image& image, Nanoseconds time, trace::SnapshotCause cause) {
  trace::SmapsSnapshot smaps;
  smaps.process = image.index;
  smaps.time = time;
  smaps.cause = cause;
  return smaps;
}

}  // namespace

Footprint::Footprint(const Region& region, trace::RecordingWriter& writer, const StampClock& clock,
                     const ImageTable& images, FootprintOptions options)
    : region_(region),
      writer_(writer),
      clock_(clock),
      images_(images),
      options_(options),
      thorough_schedule_(kThoroughShare, kThoroughInterval),
      peak_schedule_(kPeakShare, 10 * kMillisecond),
      mark_schedule_(kMarkShare, 0) {}

void Footprint::tick(Nanoseconds now) {
  if (now < next_tick_) return;
  // A recorder that was held up takes one sample, not all that it missed.
  next_tick_ = std::max(next_tick_ + options_.interval, now + options_.interval / 2);
  for (const auto& image : images_.running())
    if (!image->process_ended) sample_image(*image, now);
}

void Footprint::sample_image(Image& image, Nanoseconds now) {
  if (!sample(image)) return;
  // A process that is over at once has its last snapshot; one more at its begin would cost more than it does itself.
  const bool is_young = now < image.begin_time + kYouth;
  if (options_.snapshots_at_peaks && !is_young && is_new_peak(image.rss_bytes, image.snapshot_rss_bytes) && peak_schedule_.is_due(now)) {
    image.peak_snapshot_due = true;
    return;
  }
  if (is_young || !thorough_schedule_.is_due(now) || now < image.next_thorough) return;
  read_thorough(image, image.next_thorough == 0 ? trace::SnapshotCause::start : trace::SnapshotCause::periodic);
  thorough_schedule_.record(now, clock_.now() - now);
  image.next_thorough = now + kThoroughInterval;
}

// Address space that is memswell's own: most of it is the region, which is never touched.
Bytes Footprint::own_address_bytes(const Image& image) const {
  Bytes bytes = 0;
  if (!image.slot) return bytes;
  for (const trace::OwnRange& range : own_ranges_of(region_.process(*image.slot))) bytes += range.end - range.begin;
  return bytes;
}

bool Footprint::is_at_new_peak(Image& image) {
  return sample(image) && options_.snapshots_at_peaks && is_new_peak(image.rss_bytes, image.snapshot_rss_bytes);
}

bool Footprint::sample(Image& image) {
  if (image.sampler == nullptr) return false;
  const auto reading = image.sampler->read_cheap();
  if (!reading || !*reading) return false;
  std::string status;
  const Bytes peak = read_status(image, status) ? image.phase_peak_bytes : 0;
  image.rss_bytes = (*reading)->rss_bytes;
  writer_.write(trace::Sample{.process = image.index,
                              .time = clock_.now(),
                              .size_bytes = (*reading)->size_bytes - std::min((*reading)->size_bytes, own_address_bytes(image)),
                              .rss_bytes = (*reading)->rss_bytes,
                              .shared_bytes = (*reading)->shared_bytes,
                              .own_bytes = image.own_bytes,
                              .peak_rss_bytes = peak});
  return true;
}

bool Footprint::read_status(Image& image, std::string& text) {
  if (image.sampler == nullptr) return false;
  const auto read = image.sampler->files().read("status", buffer_);
  if (!read || !*read) return false;
  text = **read;
  const auto status = smaps::parse_status(text);
  if (!status || !status->has_memory) return false;
  image.phase_peak_bytes = status->memory.high_water_mark_bytes;
  image.peak_rss_bytes = std::max(image.peak_rss_bytes, image.phase_peak_bytes);
  return true;
}

bool Footprint::read_smaps(Image& image, std::string& text) {
  if (image.sampler == nullptr) return false;
  const auto read = image.sampler->files().read("smaps", buffer_);
  if (!read || !*read || (*read)->empty()) return false;
  text = **read;
  return true;
}

void Footprint::read_own(Image& image, const std::string& smaps_text) {
  const auto parsed = smaps::parse_smaps(smaps_text);
  if (!parsed) return;
  std::vector<trace::OwnRange> ranges;
  if (image.slot) ranges = own_ranges_of(region_.process(*image.slot));
  image.own_bytes = own_resident_bytes(parsed->mappings, ranges);
  image.own_peak_bytes = std::max(image.own_peak_bytes, image.own_bytes);
}

void Footprint::read_thorough(Image& image, trace::SnapshotCause cause) {
  const Nanoseconds begin = clock_.now();
  if (cause == trace::SnapshotCause::mark && !mark_schedule_.is_due(begin)) return;
  trace::SmapsSnapshot smaps = empty_smaps(image, begin, cause);
  if (!read_smaps(image, smaps.smaps)) return;
  read_status(image, smaps.status);
  read_own(image, smaps.smaps);
  writer_.write(smaps);
  if (cause == trace::SnapshotCause::mark) mark_schedule_.record(begin, clock_.now() - begin);
}

bool Footprint::look(Image& image, trace::SmapsSnapshot& smaps, trace::PageSnapshot& pages) {
  // A thread that is busy outside of the hooks touches pages between the two readings. They are taken again, at once,
  // until they agree; a few pages are not worth another stall of the program.
  constexpr int kAttempts = 4;
  constexpr Bytes kAgreement = 64 * 1024;
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    if (!read_smaps(image, smaps.smaps)) return false;
    const auto parsed = smaps::parse_smaps(smaps.smaps);
    if (!parsed) return true;
    // File pages are told apart by their mapping: the cheaper scan is enough.
    const auto map = smaps::read_page_map(image.sampler->files(), parsed->mappings);
    const Bytes rss = smaps::total(parsed->mappings).rss_bytes;
    if (image.slot) pages.own = own_ranges_of(region_.process(*image.slot));
    image.own_bytes = own_resident_bytes(parsed->mappings, pages.own);
    image.own_peak_bytes = std::max(image.own_peak_bytes, image.own_bytes);
    image.snapshot_rss_bytes = rss;
    if (!map || !*map) return true;
    pages.source = static_cast<trace::PageSource>((*map)->source);
    pages.runs = runs_for_recording((*map)->runs);
    if (pages.source == trace::PageSource::smaps_only) return true;  // nothing to compare with
    image.snapshot_disagreement_bytes = disagreement(pages.runs, rss);
    if (image.snapshot_disagreement_bytes <= kAgreement) return true;
  }
  return true;
}

// A phase that begins asks anew, its end or that of the process is told; in between nobody would know since when.
void Footprint::track_writes(Image& image, const trace::SmapsSnapshot& smaps, trace::PageSnapshot& pages) {
  const bool begins = pages.cause == trace::SnapshotCause::phase;
  if (!begins && pages.cause != trace::SnapshotCause::exit) return;
  if (pages.source != trace::PageSource::pagemap_scan) return;
  if (begins) {
    if (const auto parsed = smaps::parse_smaps(smaps.smaps); parsed) image.writes.follow(parsed->mappings, pages.own);
  }
  image.writes.mark_written(image.sampler->files(), begins, pages.runs);
}

void Footprint::snapshot(Image& image, trace::SnapshotCause cause, const std::string& phase,
                         ClosedGate& gate) {
  // A ledger of the peak that does not add up is taken again at the next sample instead.
  constexpr Bytes kTolerated = 512 * 1024;
  const Bytes rss_before = image.snapshot_rss_bytes;
  trace::SmapsSnapshot smaps = empty_smaps(image, clock_.now(), cause);
  trace::PageSnapshot pages;
  pages.process = image.index;
  pages.time = smaps.time;
  pages.cause = cause;
  pages.phase = phase;
  pages.consistent = gate.is_quiet();
  image.snapshot_disagreement_bytes = 0;
  if (!look(image, smaps, pages)) return;
  if (image.writes.works()) track_writes(image, smaps, pages);
  read_status(image, smaps.status);
  gate.open();
  pages.pause = gate.closed_for();
  if (cause == trace::SnapshotCause::peak && image.snapshot_disagreement_bytes > kTolerated) {
    image.snapshot_rss_bytes = rss_before;
    return;
  }
  writer_.write(pages);
  writer_.write(smaps);
}

void Footprint::cut_peak(Image& image, trace::PhaseBoundary& boundary) {
  std::string status;
  boundary.peak_exact = read_status(image, status) && image.peak_is_of_phase;
  boundary.peak_rss_bytes = image.phase_peak_bytes;
  // The first boundary may come before any thorough reading.
  std::string smaps;
  if (image.own_bytes == 0 && image.slot && read_smaps(image, smaps)) read_own(image, smaps);
  boundary.own_bytes = image.own_bytes;
  boundary.own_growth_bytes =
      image.own_bytes > image.own_at_phase_bytes ? image.own_bytes - image.own_at_phase_bytes : 0;
  boundary.own_growth_bytes += std::exchange(image.ring_bytes_high, 0);
  if (image.slot) boundary.own_growth_bytes += kUnwindTableBytes;
  image.own_at_phase_bytes = image.own_bytes;
  image.peak_is_of_phase = false;
  if (!options_.reset_peaks || image.sampler == nullptr) return;
  const auto reset = image.sampler->reset_peak();
  image.peak_is_of_phase = reset && *reset;
}

}  // namespace memswell::capture
