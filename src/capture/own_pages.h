// memswell's own pages in a recorded program: the region, the probe, and what the probe says it mapped.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "base/ids.h"
#include "probes/smaps/smaps_parser.h"
#include "trace/events.h"
#include "trace/format.h"

namespace memswell::capture {

// The slot's list, checked.
std::vector<trace::OwnRange> own_ranges_of(const format::ProcessSlot& slot);

// Resident bytes of the mappings that are ours by name or lie in `ranges`. Of a mapping that lies in them only in part at
// most that part is ours.
Bytes own_resident_bytes(std::span<const smaps::Mapping> mappings, std::span<const trace::OwnRange> ranges);

}  // namespace memswell::capture
