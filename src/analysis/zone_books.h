// Who has how much of each zone's resident bytes: blocks take theirs in order of address, the rest stays with the zone.
#pragma once

#include <algorithm>
#include <vector>

#include "analysis/residency.h"
#include "analysis/zones.h"

namespace memswell::analysis {

// Resident bytes cut at the borders of zones, and how many of each zone live blocks have taken.
class ZoneBooks {
 public:
  ZoneBooks(const std::vector<Zone>& zones, const RangeSet& resident) : resident_(zones.size()), used_(zones.size()) {
    std::size_t zone = 0;
    for (const AddressRange& range : resident.ranges()) {
      while (zone < zones.size() && zones[zone].end <= range.begin) ++zone;
      for (std::size_t z = zone; z < zones.size() && zones[z].begin < range.end; ++z) {
        const Address begin = std::max(range.begin, zones[z].begin);
        const Address end = std::min(range.end, zones[z].end);
        if (begin >= end) continue;
        segments_.push_back({begin, end, z});
        resident_[z] += end - begin;
      }
    }
  }

  // Resident bytes of [begin, end), now taken by a live block. Ranges come in order.
  Bytes take(Address begin, Address end) {
    while (at_ < segments_.size() && segments_[at_].end <= begin) ++at_;
    Bytes sum = 0;
    for (std::size_t i = at_; i < segments_.size() && segments_[i].begin < end; ++i) {
      const Bytes bytes = std::min(end, segments_[i].end) - std::max(begin, segments_[i].begin);
      used_[segments_[i].zone] += bytes;
      sum += bytes;
    }
    return sum;
  }

  Bytes resident(std::size_t zone) const { return resident_[zone]; }
  Bytes rest(std::size_t zone) const { return resident_[zone] - used_[zone]; }

 private:
  struct Segment {
    Address begin;
    Address end;
    std::size_t zone;
  };
  std::vector<Segment> segments_;
  std::vector<Bytes> resident_, used_;
  std::size_t at_ = 0;
};

}  // namespace memswell::analysis
