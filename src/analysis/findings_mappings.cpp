// Findings about memory outside of the heap: files, shared memory, stacks, mappings, pages that the kernel shares.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "analysis/course.h"
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

constexpr Bytes kMuchCode = Bytes{32} << 20;

// The program's own file, a library, or what the C library reads of its locale.
bool is_code(const ProcessReport& process, const std::string& path) {
  return path.starts_with(process.executable) || base_name(path).find(".so") != std::string::npos ||
         path.find("/locale/") != std::string::npos || path.find("/gconv/") != std::string::npos;
}

std::string file_words(const FileRow& file) {
  std::string text = fmt::format("{} clean", format_bytes(file.clean_bytes));
  if (file.copied_bytes > 0) text += fmt::format(", {} copied", format_bytes(file.copied_bytes));
  const Bytes written = file.dirty_bytes - std::min(file.dirty_bytes, file.copied_bytes);
  return text + (written > 0 ? fmt::format(", {} written", format_bytes(written)) : "");
}

// Written pages of the program and its libraries.
struct Variables {
  Bytes bytes = 0;
  FileRow most;

  void add(const FileRow& row) {
    bytes += row.dirty_bytes;
    if (row.dirty_bytes > most.dirty_bytes) most = row;
  }
};

// What became of one file's pages from phase to phase, where it changed.
std::string course_of_file(const ProcessReport& process, const std::string& path) {
  constexpr std::size_t kMost = 5;
  std::string text, last;
  std::size_t told = 0;
  for (const LedgerSnapshot& snapshot : process.snapshots) {
    if (snapshot.cause != trace::SnapshotCause::phase || told == kMost) continue;
    const auto at = std::find_if(snapshot.files.begin(), snapshot.files.end(),
                                 [&](const FileRow& row) { return row.path == path; });
    const std::string words = at == snapshot.files.end() ? "none" : file_words(*at);
    if (words == last || (last.empty() && words == "none")) continue;
    text += fmt::format("{} {} in phase \"{}\"", told++ == 0 ? fmt::format(" {}:", base_name(path)) : ";", words,
                        snapshot.phase);
    last = words;
  }
  return told < 2 ? std::string() : text + ".";
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
        "in them: an arena goes back only when its last object has gone, and one live object is enough to keep it",
        "run once with PYTHONMALLOC=malloc to see the objects and their call sites"},
    InnerAllocator{"node", "", "V8 keeps JavaScript objects in a heap of its own that it maps in pages",
                   "take a heap snapshot (node --inspect, v8.writeHeapSnapshot()) to see the objects"},
    InnerAllocator{"java", "", "The JVM keeps objects, classes and compiled code in memory that it maps itself",
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

// Every interpreter has some of it; a quarter of the footprint is a story.
Bytes least_inner(const ProcessReport& process) {
  return std::max({least_notable(process), kLeastRow, process.totals.peak_rss_bytes / 4});
}

// What RSS rose by when the huge pages came, and when the phase before began.
std::string rises_words(const ProcessReport& process, const std::string& phase) {
  for (std::size_t i = 2; i < process.phases.size(); ++i) {
    if (process.phases[i].name != phase) continue;
    const Bytes at = process.phases[i].begin_rss_bytes, before = process.phases[i - 1].begin_rss_bytes;
    const Bytes first = process.phases[i - 2].begin_rss_bytes;
    if (at < before || before < first) return {};
    return fmt::format(" RSS rose by {} to phase \"{}\", by {} to \"{}\" before it.", format_bytes(at - before), phase,
                       format_bytes(before - first), process.phases[i - 1].name);
  }
  return {};
}

// Another mapping of the same size without huge pages shows what the work would cost in small ones.
std::string like_in_small_pages(const ProcessReport& process, const LedgerSnapshot& snapshot, const SiteShare& huge) {
  for (const SiteShare& other : snapshot.sites) {
    const bool as_large = other.mapped_size_bytes * 10 >= huge.mapped_size_bytes * 9 && huge.mapped_size_bytes > 0;
    if (other.site == huge.site || !as_large || other.huge_bytes > 0 || other.mapped_bytes * 8 > huge.huge_bytes) continue;
    return fmt::format(" Memory of the same size at {} has none of them, and {} are resident there.",
                       words_of(process, other.site), format_bytes(other.mapped_bytes));
  }
  return {};
}

}  // namespace

void find_files(const FindingInput& input, Findings& findings) {
  const ProcessReport& process = *input.process;
  const LedgerSnapshot* worst = worst_notable(process, Owner::files);
  if (worst == nullptr || worst->files.empty()) return;
  const FileRow& file = worst->files.front();
  FileRow all;
  Bytes of_program = 0;
  Variables variables;
  for (const FileRow& row : worst->files) {
    all.clean_bytes += row.clean_bytes;
    all.dirty_bytes += row.dirty_bytes;
    all.copied_bytes += row.copied_bytes;
    if (!is_code(process, row.path)) continue;
    of_program += row.clean_bytes + row.dirty_bytes;
    variables.add(row);
  }
  // What program and libraries take is the same for every program of the kind, but for large arrays of their own.
  if (variables.bytes >= least_notable(process)) of_program -= variables.bytes;
  if (worst->row(Owner::files) - of_program < least_notable(process) && of_program < kMuchCode) return;
  Finding finding = row_finding(FindingKind::file_pages, *worst, Owner::files);
  finding.sentence = fmt::format(
      "{} of RSS {} are pages of files: {} clean, {} written or copied; the largest is {} ({}).",
      format_bytes(finding.bytes), when(process, *worst), format_bytes(all.clean_bytes), format_bytes(all.dirty_bytes),
      base_name(file.path), file_words(file));
  finding.cause =
      "Clean pages of files count in RSS, but the kernel takes them back when it needs memory; private dirty leaves "
      "them out.";
  if (all.dirty_bytes >= least_notable(process))
    finding.cause += " Copied pages are the process's own, anonymous; written ones count as private dirty until they "
                     "are written back.";
  if (variables.bytes >= least_notable(process))
    finding.cause += fmt::format(
        " {} are variables of the program and its libraries, most of them in {}: arrays of fixed size (.data and .bss), which "
        "no heap profile shows and of which a page costs nothing until it is written.",
        format_bytes(variables.bytes), base_name(variables.most.path));
  finding.cause += course_of_file(process, file.path);
  finding.evidence.push_back({"variables_bytes", static_cast<std::int64_t>(variables.bytes), Unit::bytes});
  finding.evidence.push_back({"clean_bytes", static_cast<std::int64_t>(all.clean_bytes), Unit::bytes});
  finding.evidence.push_back({"dirty_bytes", static_cast<std::int64_t>(all.dirty_bytes), Unit::bytes});
  finding.evidence.push_back({"copied_bytes", static_cast<std::int64_t>(all.copied_bytes), Unit::bytes});
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
  finding.sentence = fmt::format("{} of RSS {} are stacks, of the main thread", format_bytes(finding.bytes),
                                 when(process, *worst));
  if (worst->thread_stacks > 0)
    finding.sentence += fmt::format(" and {} others; {} of address space are reserved for these", worst->thread_stacks,
                                    format_bytes(worst->thread_stack_reserved_bytes));
  finding.sentence += ".";
  const auto resident = [](const LedgerSnapshot& snapshot) { return snapshot.row(Owner::stacks); };
  finding.cause =
      "A stack page stays resident once it was used, until its thread ends; what is reserved for a stack costs "
      "nothing." +
      course_before(process, *worst, resident) + course_after(process, *worst, resident);
  if (const LedgerSnapshot& last = process.snapshots.back(); last.thread_stacks > 0 && &last != worst)
    finding.cause += fmt::format(" {} of address space for stacks are still mapped then: threads that run, and the C "
                                 "library keeps some stacks for the next.",
                                 format_bytes(last.thread_stack_reserved_bytes));
  finding.remedy = worst->thread_stacks > 1 ? "use less stack in deep or large frames; fewer threads"
                                          : "use less stack in deep or large frames";
  finding.evidence.push_back({"thread_stacks", static_cast<std::int64_t>(worst->thread_stacks), Unit::count});
  finding.evidence.push_back(
      {"reserved_bytes", static_cast<std::int64_t>(worst->thread_stack_reserved_bytes), Unit::bytes});
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
  finding.cause = "It went past malloc: a heap profile does not show it." +
                  course_after(process, *worst, [](const LedgerSnapshot& s) { return s.row(Owner::mapped); });
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
  finding.sentence = fmt::format("{} of {} RSS {} are given back already (MADV_FREE); private dirty are {}.",
                                 format_bytes(bytes), format_bytes(most->rss_bytes),
                                 moment_words(process, finding.phase, most->time_ns),
                                 format_bytes(most->smaps->private_dirty_bytes));
  finding.cause =
      "The kernel takes such pages when it needs memory and counts them in RSS until then, as private clean; what is "
      "written again is dirty again.";
  const auto lazy = [](const LedgerSnapshot& snapshot) { return snapshot.beside.lazily_freed_bytes; };
  if (const LedgerSnapshot* worst = largest_snapshot(process, lazy); worst != nullptr && lazy(*worst) * 2 > bytes)
    finding.cause += course_after(process, *worst, lazy);
  finding.evidence = {
      {"lazily_freed_bytes", static_cast<std::int64_t>(bytes), Unit::bytes},
      {"rss_bytes", static_cast<std::int64_t>(most->rss_bytes), Unit::bytes},
      {"private_dirty_bytes", static_cast<std::int64_t>(most->smaps->private_dirty_bytes), Unit::bytes}};
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
  finding.sentence = fmt::format("{} of {} RSS {} are {} pages of 2 MiB", format_bytes(huge), format_bytes(at->rss_bytes),
                                 moment_words(process, finding.phase, at->time_ns), format_count(huge / kHugePage));
  const LedgerSnapshot* worst = snapshot_near(process, at->time_ns);
  const SiteShare* most = worst == nullptr ? nullptr : largest_share(*worst, &SiteShare::huge_bytes);
  if (most != nullptr) {
    finding.site = most->site;
    finding.sentence += fmt::format(", {} of that in memory of {}", format_bytes(most->huge_bytes),
                                    words_of(process, most->site));
  }
  finding.sentence += ".";
  finding.cause = "One byte written makes 2 MiB resident: how much of them is used cannot be seen from outside.";
  finding.cause += rises_words(process, finding.phase);
  if (most != nullptr) finding.cause += like_in_small_pages(process, *worst, *most);
  finding.remedy =
      "madvise(MADV_NOHUGEPAGE) on sparsely used memory, or transparent_hugepage=madvise, and compare the peaks";
  finding.evidence = {{"huge_bytes", static_cast<std::int64_t>(huge), Unit::bytes},
                      {"huge_pages", static_cast<std::int64_t>(huge / kHugePage), Unit::count}};
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
    if (off || worst == nullptr || worst->row(Owner::mapped) < least_inner(process)) return;
    Finding finding = row_finding(FindingKind::inner_allocator, *worst, Owner::mapped);
    finding.sentence =
        fmt::format("{} of {} RSS {} are in mappings of {} itself; which objects keep them is not seen.",
                    format_bytes(finding.bytes), format_bytes(worst->rss_bytes), when(process, *worst), program);
    const auto mapped = [](const LedgerSnapshot& snapshot) { return snapshot.row(Owner::mapped); };
    finding.cause = fmt::format("{}.", inner.keeps) + course_after(process, *worst, mapped);
    finding.remedy = inner.remedy;
    findings.push_back(std::move(finding));
  }
}

}  // namespace memswell::analysis
