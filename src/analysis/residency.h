// Which bytes of the address space are in RSS, map the zero page or are swapped out, at one snapshot.
#pragma once

#include <vector>

#include "base/ids.h"
#include "probes/smaps/smaps_parser.h"
#include "trace/events.h"

namespace memswell::analysis {

struct AddressRange {
  Address begin = 0;
  Address end = 0;
  friend bool operator==(const AddressRange&, const AddressRange&) = default;
};

// Ordered, disjoint ranges; asks for overlaps are cheapest when they come in order of address.
class RangeSet {
 public:
  // Ranges come in order; one that touches the last is joined to it.
  void append(Address begin, Address end);
  Bytes overlap(Address begin, Address end);
  Bytes bytes() const { return bytes_; }
  const std::vector<AddressRange>& ranges() const { return ranges_; }

 private:
  std::vector<AddressRange> ranges_;
  std::size_t hint_ = 0;
  Bytes bytes_ = 0;
};

struct Residency {
  RangeSet resident;  // in RSS
  RangeSet zero;      // present, but the kernel's zero page: not in RSS
  RangeSet swapped;
  RangeSet huge;  // of the resident ones
  RangeSet idle;  // of the resident ones: not written since the phase began (run --idle)
  bool writes_known = false;
  // Bytes of which the source could not say whether they are zero pages and which smaps Rss does not settle either:
  // the mapping has so many resident ones, but which they are is a guess (lowest addresses first).
  Bytes ambiguous_bytes = 0;
};

// Page runs clipped to the mappings that RSS counts. Where the source is ambiguous (pagemap without
// PAGE_IS_PFNZERO) or absent (smaps only), smaps Rss of the mapping decides.
Residency residency_of(const trace::PageSnapshot& snapshot, const std::vector<smaps::Mapping>& mappings);

}  // namespace memswell::analysis
