// Findings about memory outside of the heap: files, shared memory, stacks, mappings, pages that the kernel shares.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "analysis/finding_rules.h"
#include "analysis/words.h"
#include "base/units.h"

namespace memswell::analysis {
namespace {

// Rows of this size are notable: a tenth of the footprint, and more than what the libraries of any program take.
constexpr Bytes kLeastRow = Bytes{4} << 20;
Bytes least_row(const ProcessReport& process) {
  return std::max({least_notable(process), kLeastRow, process.totals.peak_rss_bytes / 10});
}

const LedgerSnapshot* worst_notable(const ProcessReport& process, Owner owner) {
  const LedgerSnapshot* worst = worst_snapshot(process, owner);
  return worst != nullptr && worst->row(owner) >= least_row(process) ? worst : nullptr;
}

Finding row_finding(FindingKind kind, const LedgerSnapshot& snapshot, Owner owner) {
  Finding finding = make_finding(kind, Effect::informs, Certainty::exact, snapshot.row(owner), snapshot.phase);
  finding.evidence = {{"bytes", static_cast<std::int64_t>(snapshot.row(owner)), Unit::bytes},
                      {"rss_bytes", static_cast<std::int64_t>(snapshot.rss_bytes), Unit::bytes}};
  return finding;
}

struct InnerAllocator {
  std::string_view program;       // executable's name begins so
  std::string_view switched_off;  // environment in which malloc sees all objects; empty: there is none
  std::string_view keeps;         // what it is, in a sentence
  std::string_view remedy;
};
constexpr std::array kInnerAllocators{
    InnerAllocator{
        "python", "PYTHONMALLOC=malloc",
        "Python's own allocator takes arenas (1 MiB by mmap, 256 KiB before 3.10) and puts objects of up to 512 bytes "
        "in "
        "them: an arena goes back only when its last object has gone, and one live object is enough to keep it",
        "run once with PYTHONMALLOC=malloc to see the objects and their call sites"},
    InnerAllocator{"node", "", "V8 keeps JavaScript objects in a heap of its own that it maps in pages",
                   "take a heap snapshot (node --inspect, v8.writeHeapSnapshot()) to see the objects"},
    InnerAllocator{"java", "", "the JVM keeps objects, classes and compiled code in memory that it maps itself",
                   "run with -XX:NativeMemoryTracking=summary and ask jcmd PID VM.native_memory"},
    InnerAllocator{"ruby", "", "Ruby keeps objects in heap pages of its own", "ObjectSpace.dump_all shows the objects"},
};

Bytes largest_huge(const ProcessReport& process, const TimelineRow*& at) {
  Bytes largest = 0;
  for (const TimelineRow& row : process.timeline) {
    if (!row.smaps || row.smaps->huge_bytes <= largest) continue;
    largest = row.smaps->huge_bytes;
    at = &row;
  }
  return largest;
}

}  // namespace

void find_files(const FindingInput& input, Findings& findings) {
  const LedgerSnapshot* worst = worst_notable(*input.process, Owner::files);
  if (worst == nullptr || worst->files.empty()) return;
  const FileRow& file = worst->files.front();
  Bytes clean = 0, dirty = 0;
  for (const FileRow& row : worst->files) {
    clean += row.clean_bytes;
    dirty += row.dirty_bytes;
  }
  Finding finding = row_finding(FindingKind::file_pages, *worst, Owner::files);
  finding.sentence = fmt::format(
      "{} of RSS {} are pages of files: {} clean, {} written or copied; the largest is {} ({} clean, {} dirty).",
      format_bytes(finding.bytes), when(*input.process, *worst), format_bytes(clean), format_bytes(dirty),
      base_name(file.path), format_bytes(file.clean_bytes), format_bytes(file.dirty_bytes));
  finding.cause =
      "Clean pages of files count in RSS, but the kernel takes them back when it needs memory; private dirty leaves "
      "them out.";
  finding.evidence.push_back({"clean_bytes", static_cast<std::int64_t>(clean), Unit::bytes});
  finding.evidence.push_back({"dirty_bytes", static_cast<std::int64_t>(dirty), Unit::bytes});
  findings.push_back(std::move(finding));
}

void find_shared_memory(const FindingInput& input, Findings& findings) {
  const LedgerSnapshot* worst = worst_notable(*input.process, Owner::shared);
  if (worst == nullptr) return;
  Finding finding = row_finding(FindingKind::shared_memory, *worst, Owner::shared);
  finding.sentence =
      fmt::format("{} of RSS {} are shared memory.", format_bytes(finding.bytes), when(*input.process, *worst));
  finding.cause =
      "Each process that maps it counts it in full; it is private only as long as one process maps it. PSS divides it.";
  findings.push_back(std::move(finding));
}

void find_stacks(const FindingInput& input, Findings& findings) {
  const ProcessReport& process = *input.process;
  const LedgerSnapshot* worst = worst_notable(process, Owner::stacks);
  if (worst == nullptr) return;
  Finding finding = row_finding(FindingKind::stacks, *worst, Owner::stacks);
  finding.sentence = fmt::format("{} of RSS {} are stacks, of the main thread and {} others.",
                                 format_bytes(finding.bytes), when(process, *worst), worst->thread_stacks);
  finding.cause =
      "A stack page stays resident once it was used, until its thread ends; what is reserved for a stack costs "
      "nothing.";
  finding.remedy = "use less stack in deep or large frames; fewer threads";
  finding.evidence.push_back({"thread_stacks", static_cast<std::int64_t>(worst->thread_stacks), Unit::count});
  findings.push_back(std::move(finding));
}

void find_mapped(const FindingInput& input, Findings& findings) {
  const ProcessReport& process = *input.process;
  const LedgerSnapshot* worst = worst_notable(process, Owner::mapped);
  if (worst == nullptr) return;
  Finding finding = row_finding(FindingKind::mapped_memory, *worst, Owner::mapped);
  const SiteShare* most = largest_share(*worst, &SiteShare::mapped_bytes);
  finding.sentence = fmt::format("{} of RSS {} are memory that the program mapped itself", format_bytes(finding.bytes),
                                 when(process, *worst));
  if (most != nullptr) {
    finding.site = most->site;
    finding.sentence +=
        fmt::format(", {} of it at {}", format_bytes(most->mapped_bytes), words_of(process, most->site));
  }
  finding.sentence += ".";
  finding.cause = "It went past malloc: a heap profile does not show it.";
  findings.push_back(std::move(finding));
}

void find_lazily_freed(const FindingInput& input, Findings& findings) {
  const ProcessReport& process = *input.process;
  const TimelineRow* most = nullptr;
  for (const TimelineRow& row : process.timeline) {
    if (row.smaps && (most == nullptr || row.smaps->lazy_free_bytes > most->smaps->lazy_free_bytes)) most = &row;
  }
  if (most == nullptr || most->smaps->lazy_free_bytes < least_notable(process)) return;
  const Bytes bytes = most->smaps->lazy_free_bytes;
  Finding finding = make_finding(FindingKind::lazily_freed, Effect::informs, Certainty::exact, bytes,
                                 phase_at(process, most->time_ns));
  finding.sentence = fmt::format("{} of RSS {} are given back already (MADV_FREE).", format_bytes(bytes),
                                 moment_words(process, finding.phase, most->time_ns));
  finding.cause =
      "The kernel takes such pages when it needs memory and counts them in RSS until then, as private clean; private "
      "dirty is "
      "down at once.";
  finding.evidence = {
      {"lazily_freed_bytes", static_cast<std::int64_t>(bytes), Unit::bytes},
      {"private_dirty_bytes", static_cast<std::int64_t>(most->smaps->private_dirty_bytes), Unit::bytes}};
  findings.push_back(std::move(finding));
}

void find_reserved(const FindingInput& input, Findings& findings) {
  constexpr Bytes kMuch = Bytes{1} << 30;
  const ProcessReport& process = *input.process;
  const TimelineRow* most = nullptr;
  for (const TimelineRow& row : process.timeline) {
    if (most == nullptr || row.size_bytes > most->size_bytes) most = &row;
  }
  if (most == nullptr || most->size_bytes < kMuch || most->size_bytes / 8 < process.totals.peak_rss_bytes) return;
  Finding finding = make_finding(FindingKind::reserved_address_space, Effect::informs, Certainty::exact,
                                 most->size_bytes, phase_at(process, most->time_ns));
  finding.sentence = fmt::format("The process reserves {} of address space {}, but its RSS never exceeds {}.",
                                 format_bytes(most->size_bytes), moment_words(process, finding.phase, most->time_ns),
                                 format_bytes(process.totals.peak_rss_bytes));
  finding.cause = "Reserved address space (VIRT, VSZ) is no memory: only touched pages are.";
  finding.evidence = {{"size_bytes", static_cast<std::int64_t>(most->size_bytes), Unit::bytes},
                      {"peak_rss_bytes", static_cast<std::int64_t>(process.totals.peak_rss_bytes), Unit::bytes}};
  findings.push_back(std::move(finding));
}

void find_huge_pages(const FindingInput& input, Findings& findings) {
  constexpr Bytes kHugePage = Bytes{2} << 20;
  const ProcessReport& process = *input.process;
  const TimelineRow* at = nullptr;
  const Bytes huge = largest_huge(process, at);
  if (huge < least_row(process) || at == nullptr) return;
  Finding finding = make_finding(FindingKind::huge_pages, Effect::lowers_peak, Certainty::inference, huge,
                                 phase_at(process, at->time_ns));
  finding.sentence = fmt::format("{} of RSS {} are {} pages of 2 MiB.", format_bytes(huge),
                                 moment_words(process, finding.phase, at->time_ns), format_count(huge / kHugePage));
  finding.cause = "One byte written makes 2 MiB resident: how much of them is used cannot be seen from outside.";
  finding.remedy =
      "madvise(MADV_NOHUGEPAGE) on sparsely used memory, or transparent_hugepage=madvise, and compare the peaks";
  finding.evidence = {{"huge_bytes", static_cast<std::int64_t>(huge), Unit::bytes},
                      {"huge_pages", static_cast<std::int64_t>(huge / kHugePage), Unit::count}};
  findings.push_back(std::move(finding));
}

void find_copy_on_write(const FindingInput& input, Findings& findings) {
  const ProcessReport& process = *input.process;
  const TimelineRow* first = nullptr;   // shares most
  const TimelineRow* copied = nullptr;  // has most of its own, after that
  for (const TimelineRow& row : process.timeline) {
    if (!row.smaps) continue;
    if (first == nullptr || row.smaps->shared_dirty_bytes > first->smaps->shared_dirty_bytes) {
      first = &row;
      copied = nullptr;
    }
    if (copied == nullptr || row.smaps->private_dirty_bytes > copied->smaps->private_dirty_bytes) copied = &row;
  }
  if (first == nullptr || first->smaps->shared_dirty_bytes < least_row(process)) return;
  const Bytes shared = first->smaps->shared_dirty_bytes;
  const Bytes grown = copied->smaps->private_dirty_bytes -
                      std::min(copied->smaps->private_dirty_bytes, first->smaps->private_dirty_bytes);
  const Bytes allocated = copied->requested_bytes - std::min(copied->requested_bytes, first->requested_bytes);
  const bool child = process.start == trace::ProcessStart::fork;
  Finding finding = make_finding(FindingKind::copy_on_write, Effect::informs, Certainty::exact, shared,
                                 phase_at(process, first->time_ns));
  finding.sentence = fmt::format("{} of RSS {} are pages that this process shares with {}; private are {}.",
                                 format_bytes(shared), moment_words(process, finding.phase, first->time_ns),
                                 child ? "the process that forked it" : "a forked child",
                                 format_bytes(first->smaps->private_dirty_bytes));
  finding.cause = "After fork both count the same pages in RSS: add PSS or private dirty, not RSS.";
  if (grown >= least_notable(process) && allocated * 2 < grown) {
    finding.cause +=
        fmt::format(" Later private dirty grows by {} while live blocks grow by {}: {}.", format_bytes(grown),
                    format_bytes(allocated),
                    child ? "writing to shared pages copies them" : "the other process wrote to them or ended");
    if (child && base_name(process.executable).starts_with("python")) {
      finding.remedy =
          "gc.freeze() before fork: reading Python objects writes their reference counts, a collection writes their "
          "headers";
      finding.effect = Effect::lowers_peak;
    }
  }
  finding.evidence = {
      {"shared_bytes", static_cast<std::int64_t>(shared), Unit::bytes},
      {"private_dirty_bytes", static_cast<std::int64_t>(first->smaps->private_dirty_bytes), Unit::bytes},
      {"private_dirty_growth_bytes", static_cast<std::int64_t>(grown), Unit::bytes},
      {"live_growth_bytes", static_cast<std::int64_t>(allocated), Unit::bytes}};
  findings.push_back(std::move(finding));
}

void find_inner_allocator(const FindingInput& input, Findings& findings) {
  const ProcessReport& process = *input.process;
  const std::string program = base_name(process.executable);
  for (const InnerAllocator& inner : kInnerAllocators) {
    if (!program.starts_with(inner.program)) continue;
    const bool off =
        std::find(input.environment.begin(), input.environment.end(), inner.switched_off) != input.environment.end();
    const LedgerSnapshot* worst = worst_snapshot(process, Owner::mapped);
    if (off || worst == nullptr || worst->row(Owner::mapped) < least_notable(process)) return;
    Finding finding = row_finding(FindingKind::inner_allocator, *worst, Owner::mapped);
    finding.sentence =
        fmt::format("{} of {} RSS {} are in mappings of {} itself; which objects keep them is not seen.",
                    format_bytes(finding.bytes), format_bytes(worst->rss_bytes), when(process, *worst), program);
    finding.cause = fmt::format("Here {}.", inner.keeps);
    finding.remedy = inner.remedy;
    findings.push_back(std::move(finding));
  }
}

}  // namespace memswell::analysis
