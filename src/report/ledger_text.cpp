#include "report/ledger_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

#include "report/escape.h"
#include "base/units.h"
#include "report/selection.h"
#include "report/site_text.h"
#include "report/table.h"

namespace memswell::report {
namespace {

using analysis::LedgerSnapshot;
using analysis::Owner;
using analysis::ProcessReport;

constexpr Bytes kWorthAWord = 64 * 1024;  // beside the sum, smaller amounts are not mentioned

Bytes freed_bytes(const LedgerSnapshot& s) {
  return s.row(Owner::heap_trimmable) + s.row(Owner::heap_pinned) + s.row(Owner::heap_cached);
}

Bytes rest_bytes(const LedgerSnapshot& s) {
  return s.row(Owner::stacks) + s.row(Owner::shared) + s.row(Owner::kernel) + s.row(Owner::unknown);
}

// A row of the summary: one owner, or several that a newcomer reads as one.
struct SummaryRow {
  const char* words;
  Bytes (*bytes)(const LedgerSnapshot&);
  std::string (*note)(const ProcessReport&, const LedgerSnapshot& peak, const LedgerSnapshot* end);
};

std::string no_note(const ProcessReport&, const LedgerSnapshot&, const LedgerSnapshot*) { return {}; }

std::string blocks_note(const ProcessReport&, const LedgerSnapshot& peak, const LedgerSnapshot*) {
  return format_count(peak.live_blocks) + (peak.live_blocks == 1 ? " block" : " blocks");
}

std::string freed_note(const ProcessReport& process, const LedgerSnapshot& peak, const LedgerSnapshot* end) {
  const LedgerSnapshot& shown = end == nullptr ? peak : *end;
  const Bytes pinned = shown.row(Owner::heap_pinned);
  if (freed_bytes(shown) < kWorthAWord) return {};
  if (pinned < shown.row(Owner::heap_trimmable))
    return fmt::format("{} can be returned: malloc_trim", format_mib(shown.row(Owner::heap_trimmable)));
  const analysis::Site* site = largest_site(process, shown, &analysis::SiteShare::pinned_bytes);
  return fmt::format("{} cannot be returned: blocks of {} share the pages", format_mib(pinned),
                     site == nullptr ? "the program" : site_text(*site));
}

std::string mapped_note(const ProcessReport& process, const LedgerSnapshot& peak, const LedgerSnapshot*) {
  const analysis::Site* site = largest_site(process, peak, &analysis::SiteShare::mapped_bytes);
  return site == nullptr ? "" : "most by " + site_text(*site);
}

std::string rest_note(const ProcessReport&, const LedgerSnapshot& peak, const LedgerSnapshot*) {
  return fmt::format("stacks {}, shared {}, other {}", format_mib(peak.row(Owner::stacks)),
                     format_mib(peak.row(Owner::shared)),
                     format_mib(peak.row(Owner::kernel) + peak.row(Owner::unknown)));
}

template <Owner owner>
Bytes row_of(const LedgerSnapshot& snapshot) {
  return snapshot.row(owner);
}

constexpr SummaryRow kSummaryRows[] = {
    {"in use by the program's blocks", row_of<Owner::heap_live>, blocks_note},
    {"rounding by the allocator", row_of<Owner::heap_slack>, no_note},
    {"allocator bookkeeping", row_of<Owner::heap_headers>, no_note},
    {"freed, still held by the allocator", freed_bytes, freed_note},
    {"parked on the program's own free list", row_of<Owner::pool_idle>, no_note},
    {"mapped by the program", row_of<Owner::mapped>, mapped_note},
    {"files (programs, libraries, mapped)", row_of<Owner::files>, no_note},
    {"stacks, shared memory and other", rest_bytes, rest_note},
};

// "; the rows are of 404.3 MiB, 12 ms before" where the nearest snapshot is not the peak itself.
std::string distance_note(const analysis::ProcessTotals& totals, const LedgerSnapshot& ledger) {
  const Bytes apart = std::max(ledger.rss_bytes, totals.peak_rss_bytes) - std::min(ledger.rss_bytes, totals.peak_rss_bytes);
  if (apart < kWorthAWord) return {};
  const bool before = ledger.time_ns <= totals.peak_rss_ns;
  const Nanoseconds distance = before ? totals.peak_rss_ns - ledger.time_ns : ledger.time_ns - totals.peak_rss_ns;
  return fmt::format("; the rows are of {} MiB, {} {}", format_mib(ledger.rss_bytes), format_duration(distance),
                     before ? "before" : "after");
}

std::string peak_note(const ProcessReport& process, const LedgerSnapshot* ledger) {
  const analysis::ProcessTotals& totals = process.totals;
  std::string note = "peak at " + format_duration(totals.peak_rss_ns);
  const analysis::Phase* phase = phase_at(process, totals.peak_rss_ns);
  if (phase != nullptr && process.phases.size() > 1) note += fmt::format(", in phase \"{}\"", escaped(phase->name));
  if (totals.peak_rss_is_lower_bound) note += ", a lower bound";
  return ledger == nullptr ? note : note + distance_note(totals, *ledger);
}

std::string mib_or_unknown(bool known, Bytes bytes) { return known ? format_mib(bytes) : "?"; }

void add_rows(Table& table, const ProcessReport& process, const LedgerSnapshot& peak, const LedgerSnapshot* end) {
  for (const SummaryRow& row : kSummaryRows) {
    const Bytes at_peak = row.bytes(peak);
    const Bytes at_end = end == nullptr ? 0 : row.bytes(*end);
    if (at_peak == 0 && at_end == 0) continue;
    table.add({std::string("  ") + row.words, format_mib(at_peak), format_percent(at_peak, peak.rss_bytes),
               end == nullptr ? "?" : format_mib(at_end), row.note(process, peak, end)});
  }
  const std::int64_t apart = peak.difference_bytes;
  if (static_cast<Bytes>(std::abs(apart)) >= kWorthAWord) table.add({"  changed while it was read", format_signed_bytes(apart), "", "", ""});
}

}  // namespace

std::string two_column_ledger(const ProcessReport& process, const Terminal& terminal) {
  const analysis::ProcessTotals& totals = process.totals;
  const LedgerSnapshot* peak = peak_snapshot(process);
  const LedgerSnapshot* end = exit_snapshot(process);
  Table table({{"MiB", Align::left}, {"at the peak"}, {""}, {"at the end"}, {"", Align::left, true}});
  table.add({"resident (RSS)", format_mib(totals.peak_rss_bytes), "", mib_or_unknown(totals.end_known, totals.end_rss_bytes),
             peak_note(process, peak)},
            Colour::strong);
  if (peak != nullptr) {
    add_rows(table, process, *peak, end);
  } else if (process.capture == trace::Capture::full) {
    table.add({"  asked for by the program's blocks", format_mib(totals.peak_live_bytes), "",
               format_mib(totals.live_bytes_at_exit),
               format_count(totals.peak_live_blocks) + " blocks, resident or not"});
  }
  table.add({"private dirty", format_mib(totals.peak_private_dirty_bytes), "",
             mib_or_unknown(totals.end_known, totals.end_private_dirty_bytes), "peak as sampled"});
  return table.text(terminal, 2);
}

std::string full_ledger(const ProcessReport& process, const LedgerSnapshot& snapshot, const Terminal& terminal) {
  Table table({{"MiB"}, {""}, {"owner", Align::left}, {"", Align::left, true}});
  Bytes sum = 0;
  for (const analysis::LedgerRow& row : snapshot.rows) {
    const analysis::OwnerText& text = analysis::kOwnerTexts[static_cast<std::size_t>(row.owner)];
    sum += row.bytes;
    if (row.bytes == 0) continue;
    table.add({format_mib(row.bytes), format_percent(row.bytes, snapshot.rss_bytes), std::string(text.words),
               fmt::format("[{}]", text.term)});
  }
  std::string out = terminal.paint(Colour::strong, fmt::format("Ledger at {} ({})", escaped(snapshot.at),
                                                               format_duration(snapshot.time_ns))) + "\n";
  out += table.text(terminal, 2);
  out += fmt::format("  {} in rows + {} memswell's own", format_bytes(sum), format_bytes(snapshot.own_bytes));
  if (snapshot.difference_bytes != 0)
    out += fmt::format(", {} changed while it was read", format_signed_bytes(snapshot.difference_bytes));
  out += fmt::format(" = {}, the kernel's figure (smaps Rss)\n", format_bytes(snapshot.smaps_rss_bytes));
  if (!snapshot.heap_exact) out += "  The heap's rows other than live and rounding are estimates for this allocator.\n";
  if (snapshot.ambiguous_bytes != 0)
    out += fmt::format("  Of {} this kernel cannot tell whether they are zero pages or shared by fork.\n",
                       format_bytes(snapshot.ambiguous_bytes));
  const std::string beside = beside_text(process, snapshot);
  return beside.empty() ? out : out + "  " + wrapped(beside, terminal.width, 4) + "\n";
}

std::string beside_text(const ProcessReport& process, const LedgerSnapshot& snapshot) {
  const analysis::Beside& beside = snapshot.beside;
  const analysis::Site* untouched = largest_site(process, snapshot, &analysis::SiteShare::untouched_bytes);
  struct Part {
    Bytes bytes;
    std::string words;
  };
  const Part parts[] = {
      {beside.untouched_bytes,
       "allocated and never touched" + (untouched == nullptr ? "" : fmt::format(" (most by {})", site_text(*untouched)))},
      {beside.overallocated_bytes, "allocated and not used, as the program says"},
      {beside.idle_bytes, "alive and not written in the phase that ended here"},
      {beside.zero_read_bytes, "only read, sharing the kernel's zero page"},
      {beside.swapped_bytes, "swapped out"},
      {beside.lazily_freed_bytes, "given back, not yet taken by the kernel"},
      {beside.huge_rounding_bytes, "resident only as part of 2 MiB pages"},
  };
  std::string out;
  for (const Part& part : parts) {
    if (part.bytes < kWorthAWord) continue;
    out += (out.empty() ? "beside it: " : ", ") + format_bytes(part.bytes) + " " + part.words;
  }
  return out;
}

}  // namespace memswell::report
