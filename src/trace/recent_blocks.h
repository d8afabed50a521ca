// The last kRecentBlocks allocations, in order; those still live are linked. Releases name a block by its place here
// instead of by its address. Writer and reader keep it alike, so every change of behaviour is a change of the format.
#pragma once

#include <cstdint>
#include <optional>

#include "base/ids.h"
#include "trace/recording_format.h"
#include "trace/zeroed_table.h"

namespace memswell::trace {

class RecentBlocks {
 public:
  using Slot = std::uint16_t;
  struct Block {
    Address address = 0;
    Slot older = 0;  // live neighbours
    Slot newer = 0;
    std::uint8_t size_class = 0;
    bool live = false;
  };

  RecentBlocks() : blocks_(kCount + 1) { blocks_[kEnd].older = blocks_[kEnd].newer = kEnd; }

  const Block& operator[](Slot slot) const { return blocks_[slot]; }

  // The oldest block makes room.
  Slot insert(Address address, std::uint8_t size_class) {
    const Slot slot = static_cast<Slot>(allocations_++ % kCount);
    if (blocks_[slot].live) forget(slot);
    const Slot newest = blocks_[kEnd].older;
    blocks_[slot] = {address, newest, kEnd, size_class, true};
    blocks_[newest].newer = slot;
    blocks_[kEnd].older = slot;
    return slot;
  }

  // The block ends; its neighbours become the neighbours of the last release.
  void release(Slot slot) {
    unlink(slot);
    newer_neighbour_ = blocks_[slot].newer;
    older_neighbour_ = blocks_[slot].older;
    released_age_base_ = allocations_ - age(slot);
  }

  // Allocations since this one, at least 1.
  std::uint64_t age(Slot slot) const { return (allocations_ - slot - 1) % kCount + 1; }
  // Distance in allocations from the block released last, positive if younger.
  std::uint64_t distance_to_released(Slot slot) const { return allocations_ - age(slot) - released_age_base_; }

  std::optional<Slot> at_age(std::uint64_t age) const {
    if (age == 0 || age > kCount || age > allocations_) return std::nullopt;
    const Slot slot = static_cast<Slot>((allocations_ - age) % kCount);
    return blocks_[slot].live ? std::optional(slot) : std::nullopt;
  }
  std::optional<Slot> at_distance(std::uint64_t distance) const {
    return at_age(allocations_ - released_age_base_ - distance);
  }
  std::optional<Slot> newer_neighbour() const { return valid(newer_neighbour_); }
  std::optional<Slot> older_neighbour() const { return valid(older_neighbour_); }
  std::optional<Slot> at_rank(unsigned rank) const {
    Slot slot = blocks_[kEnd].older;
    while (rank-- != 0 && slot != kEnd) slot = blocks_[slot].older;
    return valid(slot);
  }
  // Rank among the live blocks if it is below kNewestRanks.
  std::optional<std::uint8_t> rank(Slot wanted) const {
    Slot slot = blocks_[kEnd].older;
    for (std::uint8_t rank = 0; rank < disk::kNewestRanks && slot != kEnd; ++rank, slot = blocks_[slot].older) {
      if (slot == wanted) return rank;
    }
    return std::nullopt;
  }

 private:
  static constexpr std::uint32_t kCount = disk::kRecentBlocks;
  static constexpr Slot kEnd = static_cast<Slot>(kCount);  // both ends of the list
  static_assert(kCount <= 0xffff && (kCount & (kCount - 1)) == 0);

  std::optional<Slot> valid(Slot slot) const {
    return slot != kEnd && blocks_[slot].live ? std::optional(slot) : std::nullopt;
  }
  void unlink(Slot slot) {
    Block& block = blocks_[slot];
    blocks_[block.older].newer = block.newer;
    blocks_[block.newer].older = block.older;
    block.live = false;
  }
  void forget(Slot slot) {
    unlink(slot);
    if (slot == newer_neighbour_) newer_neighbour_ = blocks_[slot].newer;
    if (slot == older_neighbour_) older_neighbour_ = blocks_[slot].older;
  }

  ZeroedTable<Block> blocks_;
  std::uint64_t allocations_ = 0;
  std::uint64_t released_age_base_ = 0;  // number of the allocation of the block released last
  Slot newer_neighbour_ = kEnd;
  Slot older_neighbour_ = kEnd;
};
static_assert(sizeof(RecentBlocks::Block) == 16);

}  // namespace memswell::trace
