#include "capture/write_tracker.h"

#include <linux/userfaultfd.h>
#include <sys/ioctl.h>

#include <algorithm>

#include "probes/smaps/page_scan.h"

namespace memswell::capture {
namespace {

constexpr auto kTracked = static_cast<std::uint32_t>(trace::PageBit::tracked);
constexpr auto kWritten = static_cast<std::uint32_t>(trace::PageBit::written);

// Of a file, of a device, or the kernel's own: their names tell. A heap's and an arena's memory has none but "[heap]", and a
// name that prctl(PR_SET_VMA_ANON_NAME) gave is "[anon:…]".
bool is_private_anonymous(const smaps::Mapping& mapping) {
  if (mapping.perms.shared || mapping.inode != 0) return false;
  return mapping.name.empty() || mapping.name == "[heap]" || mapping.name.starts_with("[anon");
}

bool is_own(const smaps::Mapping& mapping, std::span<const trace::OwnRange> own) {
  return std::ranges::any_of(
      own, [&](const trace::OwnRange& range) { return mapping.begin < range.end && range.begin < mapping.end; });
}

void append(std::vector<trace::PageRun>& runs, const trace::PageRun& run) {
  if (!runs.empty() && runs.back().end == run.begin && runs.back().bits == run.bits) {
    runs.back().end = run.end;
  } else {
    runs.push_back(run);
  }
}

}  // namespace

void WriteTracker::follow(std::span<const smaps::Mapping> mappings, std::span<const trace::OwnRange> own) const {
  for (const smaps::Mapping& mapping : mappings) {
    if (!is_private_anonymous(mapping) || is_own(mapping, own)) continue;
    uffdio_register request{};
    request.range = {.start = mapping.begin, .len = mapping.end - mapping.begin};
    request.mode = UFFDIO_REGISTER_MODE_WP;
    ::ioctl(userfaultfd_.get(), UFFDIO_REGISTER, &request);
  }
}

void WriteTracker::mark_written(const smaps::ProcessFiles& files, bool begin_anew, std::vector<trace::PageRun>& runs) {
  const auto scanned = smaps::scan_pages(files, {.written = true, .forget_writes = begin_anew});
  if (!scanned || !*scanned) return;
  if (armed_) runs = with_writes(runs, **scanned);
  armed_ = armed_ || begin_anew;
}

std::vector<trace::PageRun> with_writes(std::span<const trace::PageRun> runs, std::span<const smaps::PageRun> scanned) {
  std::vector<trace::PageRun> marked;
  marked.reserve(runs.size() + scanned.size());
  std::size_t first = 0;
  for (const trace::PageRun& run : runs) {
    while (first < scanned.size() && scanned[first].end <= run.begin) ++first;
    Address at = run.begin;
    for (std::size_t i = first; i < scanned.size() && scanned[i].begin < run.end; ++i) {
      const Address begin = std::max(run.begin, scanned[i].begin);
      const Address end = std::min(run.end, scanned[i].end);
      if (at < begin) append(marked, {at, begin, run.bits | kTracked | kWritten});
      const bool written = smaps::has(scanned[i].bits, smaps::PageBit::written);
      append(marked, {begin, end, run.bits | kTracked | (written ? kWritten : 0)});
      at = end;
    }
    if (at < run.end) append(marked, {at, run.end, run.bits | kTracked | kWritten});
  }
  return marked;
}

}  // namespace memswell::capture
