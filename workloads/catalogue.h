// The built-in workloads as plain data: what each shows, its variants, and what is to be expected of it.
//
// An expectation is about one figure of the truth that the program prints (workloads/truth.h). Those of pages hold on
// glibc, with 4 KiB pages, transparent huge pages not forced on, and no swap (workloads/machine.h); those of counts
// and bytes hold always.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace memswell::workloads {

enum class Relation : std::uint8_t { about, at_most, at_least, exactly };

// What the kernel must do for the expectation to apply, beside the general conditions.
enum class Needs : std::uint8_t { nothing, zero_page, no_zero_page, huge_pages };

struct Expectation {
  std::string_view phase;   // whose end is meant; empty: a total of the whole run
  std::string_view metric;  // member of the truth's phase, or one of its facts
  Relation relation = Relation::about;
  double value = 0;      // in the metric's unit, bytes for all _bytes
  double tolerance = 0;  // of `about`, absolute
  bool since_base = false;  // the growth since the end of phase "base" is meant
  Needs needs = Needs::nothing;
};

struct Variant {
  std::string_view name;
  std::string_view arguments;  // of the program, separated by spaces
  std::string_view shows;      // one sentence, ends the explanation of this variant
  std::span<const Expectation> expected;
  bool standard = true;  // run when no variant is named
};

enum class Unit : std::uint8_t { bytes, count, nanoseconds };

// A figure of the truth that belongs into the workload's table.
struct KeyFigure {
  std::string_view words;
  std::string_view phase;  // as in Expectation
  std::string_view metric;
  Unit unit = Unit::bytes;
  bool since_base = false;
};

// A table of its own with a row for each phase.
struct PhaseTable {
  std::string_view heading;
  std::string_view phases;  // prefixes of their names, separated by spaces
  std::string_view metric;
  Unit unit = Unit::bytes;
  bool since_base = false;
  bool total = false;
};

struct Workload {
  std::string_view name;         // of the program too
  std::string_view summary;      // one line
  std::string_view explanation;  // some sentences
  std::span<const Variant> variants;
  std::string_view reference;        // the variant that the others are compared with
  std::string_view passes_option;    // of the program, for --passes; empty: none
  std::string_view size_option;      // for --size
  std::string_view measured_phases;  // prefixes of the phases whose time is the workload's own
  std::span<const KeyFigure> key_figures = {};
  std::span<const PhaseTable> phase_tables = {};
};

std::span<const Workload> catalogue();
const Workload* find_workload(std::string_view name);
const Variant* find_variant(const Workload& workload, std::string_view name);

// The parts of the catalogue, each in a file of its own.
extern const Workload kCallocLazy, kCallocTrap, kCallocBench, kBufferTail;
extern const Workload kFreelistPulse;
extern const Workload kAppend, kAppendSingle;
extern const Workload kFragPin, kVectorGrowth, kFastbinRetention, kThreadArenas;
extern const Workload kForkCow, kMmapFile, kStack, kMadvFree;

}  // namespace memswell::workloads
