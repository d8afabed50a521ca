// Finds a recent block by its address; only the writer needs it. It may forget blocks (their releases then cost more
// bytes), but never answers with a block of another address.
#pragma once

#include <array>
#include <optional>
#include <vector>

#include "trace/recent_blocks.h"

namespace memswell::trace {

class RecentBlockIndex {
 public:
  RecentBlockIndex() : buckets_(kBuckets) {}

  void insert(ProcessIndex process, Address address, RecentBlocks::Slot slot) {
    if (newest_.waits) file(newest_);
    // Member by member: a copy in wider words than it was written in waits until the writes have left the store buffer.
    newest_.waits = true;
    newest_.slot = slot;
    newest_.process = process;
    newest_.address = address;
  }

  // Also forgets it: a block is released once.
  std::optional<RecentBlocks::Slot> take(ProcessIndex process, Address address, const RecentBlocks& blocks) {
    if (newest_.address == address && newest_.waits && newest_.process == process) {
      newest_.waits = false;
      return newest_.slot;
    }
    const std::uint64_t hash = hash_of(process, address);
    for (Entry& entry : buckets_[hash % kBuckets]) {
      if (entry.tag != tag_of(hash) || blocks[entry.slot].address != address) continue;
      entry.tag = 0;
      if (blocks[entry.slot].live) return entry.slot;
    }
    return std::nullopt;
  }

 private:
  static constexpr std::size_t kWays = 4;
  static constexpr std::size_t kBuckets = disk::kRecentBlocks / 2;  // half full at most
  struct Entry {
    std::uint16_t tag = 0;  // 0: empty
    RecentBlocks::Slot slot = 0;
  };
  using Bucket = std::array<Entry, kWays>;
  struct Newest {
    Address address = 0;
    ProcessIndex process;
    RecentBlocks::Slot slot = 0;
    bool waits = false;
  };

  void file(const Newest& block) {
    const std::uint64_t hash = hash_of(block.process, block.address);
    Bucket& bucket = buckets_[hash % kBuckets];
    Entry* chosen = &bucket[block.slot % kWays];
    for (Entry& entry : bucket) {
      if (entry.tag == 0) chosen = &entry;
    }
    *chosen = {tag_of(hash), block.slot};
  }

  static std::uint64_t hash_of(ProcessIndex process, Address address) {
    const std::uint64_t product = ((address >> 3) + process.value * 0x9e37'79b9ull) * 0x9e37'79b9'7f4a'7c15;
    return product ^ (product >> 32);
  }
  static std::uint16_t tag_of(std::uint64_t hash) { return static_cast<std::uint16_t>((hash >> 48) | 1); }

  std::vector<Bucket> buckets_;
  Newest newest_;  // filed when the next one comes: a block that lives for one event never is
};

}  // namespace memswell::trace
