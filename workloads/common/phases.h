// Phases: announced to memswell, and remembered with the program's own figures, so that a workload can be checked
// alone. finish() prints everything as one line of JSON, the workload's truth.
#pragma once

#include <malloc.h>
#include <memswell/memswell.h>
#include <time.h>

#include "common/options.h"
#include "common/reading.h"
#include "common/tally.h"
#include "common/text.h"

namespace workload {

struct Fact {
  const char* name;
  std::int64_t value;
  std::uint32_t phase;
};

struct PhaseRecord {
  char name[28];
  double seconds;      // wall clock, from after the announcement to the end of the phase
  double cpu_seconds;  // of the process
  Tally begin, end;
  Reading reading;     // at the end of the phase
  std::int64_t heap_used_bytes;  // glibc's mallinfo2: chunks in use, mmapped ones too
  std::int64_t heap_free_bytes;  // free, and still held
};

inline constexpr std::uint64_t kMostPasses = 1000;  // passes, calls, rows: what has phases of its own each time
inline constexpr std::uint32_t kMostPhases = 4 * kMostPasses + 10;
inline constexpr std::uint32_t kMostFacts = 8 * kMostPasses;
inline PhaseRecord phases[kMostPhases];
inline std::uint32_t phase_count = 0;
inline Fact facts[kMostFacts];
inline std::uint32_t fact_count = 0;

inline double seconds(clockid_t clock) {
  timespec now;
  ::clock_gettime(clock, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

inline bool under_memswell() {
  static const bool found = memswell_find_("memswell_phase") != nullptr;
  return found;
}

// Ends the phase that is open: its clock, its counts, then the reading.
inline void end_phase() {
  if (phase_count == 0) return;
  PhaseRecord& record = phases[phase_count - 1];
  record.seconds = seconds(CLOCK_MONOTONIC) - record.seconds;
  record.cpu_seconds = seconds(CLOCK_PROCESS_CPUTIME_ID) - record.cpu_seconds;
  record.end = tally;
  const struct mallinfo2 heap = ::mallinfo2();
  record.heap_used_bytes = static_cast<std::int64_t>(heap.uordblks + heap.hblkhd);
  record.heap_free_bytes = static_cast<std::int64_t>(heap.fordblks);
  record.reading = read_self();  // last: what is above touches pages too
}

// Brings the code of a reading into memory, so that the first one is as the others.
inline void warm_up() {
  (void)::mallinfo2();
  (void)read_self();
  (void)under_memswell();
}

// Ends the phase before and begins `name`, or `name`-`number`.
inline void phase(const char* name, std::uint64_t number = 0) {
  if (phase_count == 0) warm_up();
  end_phase();
  if (phase_count == kMostPhases) std::abort();
  PhaseRecord& record = phases[phase_count++];
  Text<sizeof record.name> full;
  full.add(name);
  if (number != 0) full.add("-").add(number);
  std::memcpy(record.name, full.c_str(), full.length() + 1);
  const bool recorded = under_memswell();
  memswell_phase(record.name);
  if (!recorded) reset_peak_rss();  // else memswell does it
  tally.peak_live_bytes = tally.live_bytes;
  record.begin = tally;
  record.seconds = seconds(CLOCK_MONOTONIC);
  record.cpu_seconds = seconds(CLOCK_PROCESS_CPUTIME_ID);
}

// A number of the program's own about the open phase, e.g. how many objects live.
template <class Number>
inline void fact(const char* name, Number value) {
  if (fact_count == kMostFacts) std::abort();
  facts[fact_count++] = {name, static_cast<std::int64_t>(value), phase_count};
}

inline void print_phase(Text<8192>& out, std::uint32_t index) {
  const PhaseRecord& record = phases[index];
  out.add(index > 0 ? ",{" : "{").member("name", record.name);
  out.member("wall_ns", record.seconds * 1e9).member("cpu_ns", record.cpu_seconds * 1e9);
  out.member("calls", record.end.calls - record.begin.calls).member("frees", record.end.frees - record.begin.frees);
  out.member("requested_bytes", record.end.requested_bytes - record.begin.requested_bytes);
  out.member("live_blocks", record.end.live_blocks).member("live_bytes", record.end.live_bytes);
  out.member("peak_live_bytes", record.end.peak_live_bytes);
  for (const ReadingField& field : kReadingFields) out.member(field.name, record.reading.*field.value);
  out.member("heap_used_bytes", record.heap_used_bytes).member("heap_free_bytes", record.heap_free_bytes);
  out.key("facts").add("{");
  for (std::uint32_t i = 0; i < fact_count; ++i) {
    if (facts[i].phase == index + 1) out.member(facts[i].name, facts[i].value);
  }
  out.add("}}");
  out.write_to(1);
}

// Ends the last phase and prints the truth. To be called last.
inline int finish(int argc, char** argv) {
  end_phase();
  static Text<8192> out;
  out.add("{").member("workload", program_name()).key("arguments").add("[");
  for (int i = 1; i < argc; ++i) out.add(i > 1 ? ",\"" : "\"").add(argv[i]).add("\"");
  out.add("]").key("recorded").add(under_memswell() ? "true" : "false");
  out.member("calls", tally.calls).member("requested_bytes", tally.requested_bytes);
  out.member("live_blocks", tally.live_blocks).member("live_bytes", tally.live_bytes).key("phases").add("[");
  for (std::uint32_t i = 0; i < phase_count; ++i) print_phase(out, i);
  out.add("]}\n");
  out.write_to(1);
  return 0;
}

}  // namespace workload
