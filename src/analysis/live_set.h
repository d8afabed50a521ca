// The blocks of one process that are live at one place in the stream, by address.
//
// Sets are shared after a fork: parent and child look at the same table until one of them changes it, and the one that
// changes first takes the copy. So a child that goes straight to exec costs nothing.
#pragma once

#include <tsl/robin_map.h>

#include <cstdint>
#include <memory>

#include "base/ids.h"
#include "trace/events.h"

namespace memswell::analysis {

// 24 bytes, as there may be ten million of them. Addresses and sizes have at most 48 bits on every machine that we run
// on (x86-64 with four levels, arm64), times 2^48 µs.
struct Block {
  std::uint64_t requested_bits : 48;
  std::uint64_t kind_bits : 3;
  std::uint64_t inherited : 1;  // live at the fork that made this process
  std::uint64_t noted : 1;      // memswell_used told its fill
  std::uint64_t : 11;
  std::uint64_t usable_bits : 48;
  std::uint64_t time_high : 16;
  std::uint32_t time_low = 0;
  StackId stack;

  Block() : requested_bits(0), kind_bits(0), inherited(0), noted(0), usable_bits(0), time_high(0) {}
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

class LiveSet {
 public:
  using Table = tsl::robin_map<Address, Block, AddressHash>;

  LiveSet() : table_(std::make_shared<Table>()) {}

  // The set of a child just forked: the same blocks, all inherited.
  LiveSet inherit() const;

  const Block* find(Address address) const;
  // False if a block is there already; it is left as it was.
  bool insert(Address address, const Block& block) { return writable().insert({address, block}).second; }
  // Puts a block in. True: another was there, which is now in `old`.
  bool replace(Address address, const Block& block, Block& old);
  // Takes a block out. False: none there.
  bool take(Address address, Block& block);
  // For a note on a live block; false: none there.
  bool set_noted(Address address);

  std::size_t size() const { return table_->size(); }
  Table::const_iterator begin() const { return table_->cbegin(); }
  Table::const_iterator end() const { return table_->cend(); }

 private:
  Table& writable() {
    if (table_.use_count() > 1 || must_mark_inherited_) detach();
    return *table_;
  }
  void detach();

  std::shared_ptr<Table> table_;
  bool must_mark_inherited_ = false;
};

}  // namespace memswell::analysis
