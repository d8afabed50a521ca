// The address space of one snapshot, cut into zones: each with one owner for what no live block holds. A mapping is
// not enough for that, since anonymous neighbours merge: a thread arena, an mmap of the program and memswell's own
// memory can lie in one.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "analysis/heap_geometry.h"
#include "analysis/ledger_model.h"
#include "analysis/mapped_ranges.h"
#include "probes/smaps/smaps_parser.h"
#include "trace/events.h"

namespace memswell::analysis {

struct Zone {
  enum class Kind : std::uint8_t { owner, own, heap };
  Address begin = 0;
  Address end = 0;
  Kind kind = Kind::owner;
  Owner owner = Owner::unknown;  // of what no live block holds, for Kind::owner
  std::size_t mapping = 0;       // index
  std::size_t heap = 0;          // index, for Kind::heap
  StackId stack;                 // Owner::mapped: who mapped it
  std::string file;              // Owner::files: what to call it
};

struct AddressSpace {
  const std::vector<smaps::Mapping>* mappings = nullptr;
  std::vector<trace::OwnRange> own;
  const std::map<Address, MappedRange>* mapped = nullptr;
  std::vector<HeapExtent> heaps;
};

// Ordered, disjoint; together all mappings that are in RSS (hugetlb and device memory are not). `top_resident` tells
// whether the last page of a mapping is resident: a thread's stack holds its descriptor there.
std::vector<Zone> cut_zones(const AddressSpace& space, const std::vector<bool>& top_resident);

// Is this mapping counted in the RSS of its process?
bool in_rss(const smaps::Mapping& mapping);

}  // namespace memswell::analysis
