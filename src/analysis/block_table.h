// Live blocks by address, compact: ten million of them are 300 MB.
//
//   directory: number of a 4 KiB page ─► its blocks in order of address, 24 bytes each
//
// Programs allocate and free near where they just did, so a page and its entry are mostly in the cache; and what the
// join needs, all blocks in order, is a walk over the ordered pages instead of a sorted copy. A block that lies alone
// on its page costs about 100 bytes.
#pragma once

#include <tsl/robin_map.h>

#include <cstdint>
#include <utility>
#include <vector>

#include "base/ids.h"
#include "trace/events.h"

namespace memswell::analysis {

// 24 bytes, as there may be ten million of them. Addresses and sizes have at most 48 bits on every machine that we run
// on (x86-64 with four levels, arm64), times 2^47 µs. Of its address a block knows the place on its page only.
struct Block {
  std::uint64_t requested_bits : 48;
  std::uint64_t offset_bits : 12;  // the table's
  std::uint64_t kind_bits : 3;
  std::uint64_t inherited : 1;  // live at the fork that made this process
  std::uint64_t usable_bits : 48;
  std::uint64_t time_high : 15;
  std::uint64_t noted : 1;  // memswell_used told its fill
  std::uint32_t time_low = 0;
  StackId stack;

  Block() : requested_bits(0), offset_bits(0), kind_bits(0), inherited(0), usable_bits(0), time_high(0), noted(0) {}
  explicit Block(const trace::Allocation& allocation);

  Bytes requested() const { return requested_bits; }
  Bytes usable() const { return usable_bits; }
  Bytes slack() const { return usable_bits - requested_bits; }
  std::uint64_t time_us() const { return (std::uint64_t{time_high} << 32) | time_low; }
  trace::AllocationKind kind() const { return static_cast<trace::AllocationKind>(kind_bits); }
};
static_assert(sizeof(Block) == 24);

struct AddressHash {
  std::size_t operator()(Address address) const noexcept {
    const std::uint64_t mixed = (address >> 4) * 0x9e37'79b9'7f4a'7c15u;  // blocks lie on multiples of 16
    return mixed ^ (mixed >> 32);
  }
};

class BlockTable {
 public:
  static constexpr unsigned kPageBits = 12;
  using Page = std::vector<Block>;  // in order of address

  BlockTable() { pages_.max_load_factor(0.8F); }
  BlockTable(const BlockTable& other)
      : pages_(other.pages_), size_(other.size_), empty_(other.empty_), capacity_(other.size_) {}
  BlockTable& operator=(const BlockTable&) = delete;

  // Valid until the table changes.
  Block* find(Address address);
  // False: a block was there, `at` it; it is as it was.
  bool insert(Address address, const Block& block, Block*& at);
  // Takes a block out. False: none there.
  bool take(Address address, Block& block);
  void mark_all_inherited();

  std::size_t size() const { return size_; }
  Bytes held_bytes() const;
  // Calls visit(first address of the page, its blocks), in no order.
  template <class Visit>
  void each_page(Visit visit) const {
    for (const auto& [number, page] : pages_) {
      if (!page.empty()) visit(number << kPageBits, page);
    }
  }

 private:
  struct PageHash {
    std::size_t operator()(std::uint64_t number) const noexcept {
      const std::uint64_t mixed = number * 0x9e37'79b9'7f4a'7c15u;
      return mixed ^ (mixed >> 32);
    }
  };
  using Directory = tsl::robin_map<std::uint64_t, Page, PageHash>;

  Page* page_of(std::uint64_t number);
  Page& page_for(std::uint64_t number);
  void set_room(Page& page, std::size_t room);
  void sweep();

  Directory pages_;
  std::uint64_t last_number_ = 0;
  Page* last_ = nullptr;  // the page asked for last; forgotten when the directory changes
  std::size_t size_ = 0;
  std::size_t empty_ = 0;     // pages without blocks: kept for a while, as most get one again soon
  std::size_t capacity_ = 0;  // blocks that there is room for
};

}  // namespace memswell::analysis
