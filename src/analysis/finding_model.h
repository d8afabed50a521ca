// Pulses and findings: what the figures mean, as values. A finding carries its evidence and the three sentences made
// from it (fact, cause, remedy); reports only lay them out. Numbers in the sentences are those of the evidence.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/ledger_model.h"
#include "base/ids.h"

namespace memswell::analysis {

// The closed set. One function each in findings*.cpp.
enum class FindingKind : std::uint8_t {
  free_list,
  inner_allocator,
  trimmable,
  pinned,
  overallocated_touched,
  overallocated_untouched,
  rounding,
  lazy_calloc,
  realloc_growth,
  transient_peak,
  growth,
  unfreed,
  temporary,
  arenas,
  tiny_blocks,
  copy_on_write,
  file_pages,
  shared_memory,
  huge_pages,
  stacks,
  allocator_cache,
  lazily_freed,
  reserved_address_space,
  mapped_memory,
  outside_heap,
  events_lost,
  not_preloaded,
  peak_between_samples,
  unnamed,
  idle,
};
inline constexpr std::size_t kFindingKinds = 30;
std::string_view finding_key(FindingKind kind);  // JSON

enum class Effect : std::uint8_t { lowers_peak, lowers_what_stays, informs };

// How far the number can be trusted.
enum class Certainty : std::uint8_t { exact, lower_bound, inference };

enum class Unit : std::uint8_t { bytes, count, nanoseconds };

struct Evidence {
  std::string name;  // snake_case key
  std::int64_t value = 0;
  Unit unit = Unit::bytes;
};

struct Finding {
  FindingKind kind = FindingKind::transient_peak;
  Effect effect = Effect::informs;
  Certainty certainty = Certainty::exact;
  std::string phase;              // where it shows; empty: the whole run
  Bytes bytes = 0;                // what the finding is about
  std::optional<SiteIndex> site;  // into ProcessReport::sites
  std::string sentence;           // the fact, with its numbers
  std::string cause;              // why it is so
  std::string remedy;             // what to try, without "Try: "; empty: nothing to do
  Bytes saves_bytes = 0;          // what the remedy saves
  std::vector<Evidence> evidence;
};

// One part of a rise or a fall.
struct PulseCause {
  enum class Of : std::uint8_t { rise = 0, fall = 1, stays = 2 };
  Of of = Of::rise;
  Owner owner = Owner::unknown;   // the row that changed
  std::optional<SiteIndex> site;  // the call site behind it, where there is one
  std::int64_t bytes = 0;         // change of the row (or of the site's share in it)
  std::string sentence;
};

// A rise of the footprint and what follows it.
struct Pulse {
  Nanoseconds begin_ns = 0;
  Nanoseconds peak_ns = 0;
  Nanoseconds end_ns = 0;
  Bytes begin_rss_bytes = 0;
  Bytes peak_rss_bytes = 0;
  Bytes end_rss_bytes = 0;
  Bytes rise_bytes = 0;
  Bytes fall_bytes = 0;
  std::string phase;               // in which it peaked
  std::vector<PulseCause> causes;  // largest first within rise, fall, stays
  bool exact = false;              // taken apart between snapshots that lie at its ends; else by live bytes only
  std::string sentence;            // the whole pulse in words
  std::string comparison;          // with the pulse before; empty: none
};

}  // namespace memswell::analysis
