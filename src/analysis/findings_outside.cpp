// Findings about what a heap profile does not show: address space without memory, and RSS beside the heap.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>

#include "analysis/course.h"
#include "analysis/finding_rules.h"
#include "analysis/words.h"
#include "base/units.h"

namespace memswell::analysis {
namespace {

const TimelineRow* largest_size(const ProcessReport& process) {
  const TimelineRow* most = nullptr;
  for (const TimelineRow& row : process.timeline) {
    if (most == nullptr || row.size_bytes > most->size_bytes) most = &row;
  }
  return most;
}

// The sites that reserve most, and what of it is resident at most.
std::string reserving_sites(const ProcessReport& process) {
  constexpr Bytes kMuch = Bytes{256} << 20;
  constexpr std::size_t kMost = 3;
  struct Reserving {
    Bytes size = 0;
    Bytes resident = 0;
    const LedgerSnapshot* at = nullptr;
  };
  std::map<std::uint32_t, Reserving> sites;
  for (const LedgerSnapshot& snapshot : process.snapshots) {
    for (const SiteShare& share : snapshot.sites) {
      // Blocks of malloc that were never touched reserve no less than mappings do.
      const bool blocks = share.untouched_bytes >= kMuch;
      const Bytes size = share.mapped_size_bytes + (blocks ? share.live_bytes : 0);
      const Bytes resident = share.mapped_bytes + (blocks ? share.resident_bytes : 0);
      if (size < kMuch) continue;
      Reserving& mine = sites[share.site.value];
      mine.size = std::max(mine.size, size);
      if (mine.at != nullptr && resident <= mine.resident) continue;
      mine.resident = resident;
      mine.at = &snapshot;
    }
  }
  std::vector<std::pair<std::uint32_t, Reserving>> ordered(sites.begin(), sites.end());
  std::stable_sort(ordered.begin(), ordered.end(), [](auto& a, auto& b) { return a.second.size > b.second.size; });
  if (ordered.size() > kMost) ordered.resize(kMost);
  std::string text;
  for (const auto& [site, mine] : ordered) {
    text += fmt::format("{} {} reserved at {}, of which at most {} resident", text.empty() ? "" : ";",
                        format_bytes(mine.size), words_of(process, SiteIndex{site}), format_bytes(mine.resident));
    if (mine.resident > 0) text += " (" + when(process, *mine.at) + ")";
  }
  return text.empty() ? text : text + ".";
}

Bytes heap_of(const LedgerSnapshot& snapshot) {
  Bytes heap = 0;
  for (const Owner owner : {Owner::heap_live, Owner::heap_slack, Owner::heap_headers, Owner::heap_trimmable,
                            Owner::heap_pinned, Owner::heap_cached, Owner::pool_idle})
    heap += snapshot.row(owner);
  return heap;
}

Bytes clean_file_pages(const LedgerSnapshot& snapshot) {
  Bytes clean = 0;
  for (const FileRow& file : snapshot.files) clean += file.clean_bytes;
  return clean;
}

std::string with_site(const ProcessReport& process, const LedgerSnapshot& snapshot) {
  const SiteShare* most = largest_share(snapshot, &SiteShare::mapped_bytes);
  return most == nullptr ? std::string() : fmt::format(" (most by {})", words_of(process, most->site));
}

// The largest file, and how much of all is not clean.
std::string files_words(const LedgerSnapshot& snapshot) {
  if (snapshot.files.empty()) return {};
  const FileRow* dirtiest = &snapshot.files.front();
  Bytes dirty = 0;
  for (const FileRow& file : snapshot.files) {
    dirty += file.dirty_bytes;
    if (file.dirty_bytes > dirtiest->dirty_bytes) dirtiest = &file;
  }
  const FileRow& first = snapshot.files.front();
  std::string text = fmt::format(" ({} clean, the largest {} {}", format_bytes(clean_file_pages(snapshot)),
                                 base_name(first.path), format_bytes(first.clean_bytes + first.dirty_bytes));
  if (dirty >= (Bytes{1} << 20))
    text += fmt::format("; {} written or copied, most in {}", format_bytes(dirty), base_name(dirtiest->path));
  return text + ")";
}

}  // namespace

void find_reserved(const FindingInput& input, Findings& findings) {
  constexpr Bytes kMuch = Bytes{1} << 30;
  const ProcessReport& process = *input.process;
  const TimelineRow* most = largest_size(process);
  if (most == nullptr || most->size_bytes < kMuch || most->size_bytes / 8 < process.totals.peak_rss_bytes) return;
  Finding finding = make_finding(FindingKind::reserved_address_space, Effect::informs, Certainty::exact,
                                 most->size_bytes, phase_at(process, most->time_ns));
  finding.sentence = fmt::format(
      "The process reserves {} of address space {}, while RSS is {} there and never exceeds {}.",
      format_bytes(most->size_bytes), moment_words(process, finding.phase, most->time_ns), format_bytes(most->rss_bytes),
      format_bytes(process.totals.peak_rss_bytes));
  finding.cause = "Reserved address space (VIRT, VSZ) is no memory: only touched pages are." + reserving_sites(process);
  finding.evidence = {{"size_bytes", static_cast<std::int64_t>(most->size_bytes), Unit::bytes},
                      {"rss_bytes", static_cast<std::int64_t>(most->rss_bytes), Unit::bytes},
                      {"peak_rss_bytes", static_cast<std::int64_t>(process.totals.peak_rss_bytes), Unit::bytes}};
  findings.push_back(std::move(finding));
}

// Several kinds of memory beside the heap: none of them alone explains why the heap profile falls short of RSS.
void find_outside_heap(const FindingInput& input, Findings& findings) {
  constexpr std::size_t kLeastKinds = 2;
  const ProcessReport& process = *input.process;
  const LedgerSnapshot* worst =
      largest_snapshot(process, [](const LedgerSnapshot& snapshot) { return snapshot.rss_bytes; });
  if (worst == nullptr || process.capture == trace::Capture::sampler) return;
  struct Kind {
    Owner owner;
    std::string words;
  };
  const std::array kinds{Kind{Owner::mapped, "mapped by the program" + with_site(process, *worst)},
                         Kind{Owner::files, "pages of files" + files_words(*worst)},
                         Kind{Owner::shared, "shared memory"},
                         Kind{Owner::stacks, "stacks"},
                         Kind{Owner::unknown, "not explained"}};
  Bytes outside = 0;
  std::size_t large = 0;
  std::string list;
  Finding finding = make_finding(FindingKind::outside_heap, Effect::informs, Certainty::exact, 0, worst->phase);
  for (const Kind& kind : kinds) {
    const Bytes bytes = worst->row(kind.owner);
    outside += bytes;
    if (bytes < least_notable(process)) continue;
    if (bytes >= worst->rss_bytes / 10) ++large;
    list += fmt::format("{} {} {}", list.empty() ? ":" : ",", format_bytes(bytes), kind.words);
    finding.evidence.push_back({std::string(kOwnerTexts[static_cast<std::size_t>(kind.owner)].key) + "_bytes",
                                static_cast<std::int64_t>(bytes), Unit::bytes});
  }
  constexpr Bytes kLeast = Bytes{16} << 20;  // below it is what any program with a few libraries has
  const Bytes heap = heap_of(*worst);
  if (large < kLeastKinds || outside < kLeast || outside * 2 < worst->rss_bytes) return;
  finding.bytes = outside;
  finding.sentence = fmt::format("{} of {} RSS {} lie outside of the heap, which takes {}{}.", format_bytes(outside),
                                 format_bytes(worst->rss_bytes), when(process, *worst), format_bytes(heap), list);
  finding.cause = fmt::format(
      "A heap profile shows only the heap. Private dirty is {}: it leaves out the {} of clean file pages, and counts "
      "shared memory while one process alone maps it.",
      format_bytes(worst->private_dirty_bytes), format_bytes(clean_file_pages(*worst)));
  finding.evidence.push_back({"heap_bytes", static_cast<std::int64_t>(heap), Unit::bytes});
  finding.evidence.push_back({"rss_bytes", static_cast<std::int64_t>(worst->rss_bytes), Unit::bytes});
  finding.evidence.push_back(
      {"private_dirty_bytes", static_cast<std::int64_t>(worst->private_dirty_bytes), Unit::bytes});
  findings.push_back(std::move(finding));
}

}  // namespace memswell::analysis
