// The live rings of the region: found as threads claim them, freed when they are closed and read to their end.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "capture/region.h"
#include "capture/ring.h"

namespace memswell::capture {

class RingTable {
 public:
  explicit RingTable(const Region& region) : region_(region) {}

  // Looks for rings that were claimed since the last time; they have no image yet. Rings whose description makes no
  // sense are taken out of the region's list and counted.
  void discover();

  // Rings that no image was found for yet.
  std::vector<Ring*>& without_image() { return without_image_; }

  // Gives the ring and its memory back. The Ring is gone afterwards.
  void free(Ring& ring);

  // Closed by its thread or by the recorder, and nothing left to read.
  static bool is_done(const Ring& ring);

  const std::vector<std::unique_ptr<Ring>>& all() const { return rings_; }  // by index in the region; null: not live
  std::uint64_t refused() const { return refused_; }

 private:
  void open(std::uint32_t index);

  const Region& region_;
  std::vector<std::unique_ptr<Ring>> rings_;
  std::vector<Ring*> without_image_;
  std::uint64_t refused_ = 0;
};

}  // namespace memswell::capture
