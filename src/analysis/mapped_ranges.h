// What the program mapped itself (mmap, mremap, sbrk), by address, with the stack that did it. What the allocator maps for
// its own use is not in the recording and so not here. Kept as ordered, disjoint ranges; unmapping splits them.
#pragma once

#include <map>

#include "base/ids.h"
#include "trace/events.h"

namespace memswell::analysis {

struct MappedRange {
  Address end = 0;
  StackId stack;
  std::uint32_t flags = 0;  // MAP_*
  bool file_backed = false;
  bool by_break = false;  // got by brk or sbrk: lies inside [heap], between pieces of the allocator's
};

class MappedRanges {
 public:
  void on(const trace::MappingEvent& event);

  // By first address.
  const std::map<Address, MappedRange>& ranges() const { return ranges_; }

 private:
  void erase(Address begin, Address end);

  std::map<Address, MappedRange> ranges_;
};

}  // namespace memswell::analysis
