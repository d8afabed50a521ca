// /proc/PID/smaps, smaps_rollup and maps as values (proc(5); fs/proc/task_mmu.c). Pure functions: text in, values out.
//
// A text may be cut at any byte, because the process ended or the recording did: what is whole is used, a cut line is
// left out, and `complete` says so. A line in the middle that is neither mapping nor field is an error, since wrong
// totals look just like right ones. Fields that are not known here are passed over: kernels add some.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/ids.h"
#include "base/result.h"
#include "probes/smaps/memory_counters.h"

namespace memswell::smaps {

struct Permissions {
  bool read = false;
  bool write = false;
  bool execute = false;
  bool shared = false;  // MAP_SHARED

  std::string text() const;  // "rw-p", as the kernel prints it
  friend bool operator==(const Permissions&, const Permissions&) = default;
};

// One line of /proc/PID/maps.
struct MappingRange {
  Address begin = 0;
  Address end = 0;
  Permissions perms;
  Bytes offset = 0;  // in the file
  std::uint32_t device_major = 0;
  std::uint32_t device_minor = 0;
  std::uint64_t inode = 0;
  // Empty, a path, or "[heap]", "[stack]", "[anon:NAME]", "/memfd:NAME". The kernel writes a newline in a path as \012
  // and nothing else specially: \012 becomes a newline here, so a path with a literal "\012" reads as one too.
  std::string name;
  bool deleted = false;  // " (deleted)" stood behind the name and was taken off it

  Bytes bytes() const { return end - begin; }
  // The vsyscall page lies in the kernel's half of the addresses: no process pays for it.
  bool is_user_space() const { return begin >> 63 == 0; }
  friend bool operator==(const MappingRange&, const MappingRange&) = default;
};

// One mapping of /proc/PID/smaps.
struct Mapping : MappingRange, MemoryCounters {
  Bytes kernel_page_bytes = 0;
  bool thp_eligible = false;
  std::string vm_flags;  // two letters each, as printed: "rd wr mr mw me ac"

  bool has_flag(std::string_view two_letters) const;
  // hugetlbfs: its pages are counted in *_hugetlb_bytes, not in rss_bytes.
  bool is_hugetlb() const { return has_flag("ht"); }
  // Device memory and the like: present in page tables, not in RSS.
  bool is_raw_memory() const { return has_flag("pf") || has_flag("io"); }
  friend bool operator==(const Mapping&, const Mapping&) = default;
};

struct SmapsText {
  std::vector<Mapping> mappings;  // ordered by address
  bool complete = true;           // false: the text ends within a mapping; the last one has the fields that were whole
};

struct MapsText {
  std::vector<MappingRange> ranges;
  bool complete = true;
};

Result<SmapsText> parse_smaps(std::string_view text);
Result<MapsText> parse_maps(std::string_view text);

// smaps_rollup must be whole, an error else: half a rollup is no total.
Result<MemoryCounters> parse_smaps_rollup(std::string_view text);

MemoryCounters total(std::span<const Mapping> mappings);

}  // namespace memswell::smaps
