// The blocks of one process that are live at one place in the stream, by address.
//
// Sets are shared: a copy looks at the same table until one of the two changes it, and the one that changes first takes
// a table of its own. So a child that goes straight to exec costs nothing, and a snapshot that waits for its smaps holds
// the blocks of its moment.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "analysis/block_table.h"
#include "base/ids.h"

namespace memswell::analysis {

class LiveSet {
 public:
  LiveSet() : table_(std::make_shared<BlockTable>()) {}

  // The set of a child just forked: the same blocks, all inherited.
  LiveSet inherit() const;

  const Block* find(Address address) const { return table_->find(address); }
  // False if a block is there already; it is left as it was.
  bool insert(Address address, const Block& block);
  // Puts a block in. True: another was there, which is now in `old`.
  bool replace(Address address, const Block& block, Block& old);
  // Takes a block out. False: none there.
  bool take(Address address, Block& block) { return writable().take(address, block); }
  // For a note on a live block; false: none there.
  bool set_noted(Address address);

  std::size_t size() const { return table_->size(); }
  // Memory of the table; this set's part of it while it is shared.
  Bytes held_bytes() const { return table_->held_bytes() / static_cast<Bytes>(table_.use_count()); }

 private:
  friend class BlocksInOrder;

  BlockTable& writable() {
    if (table_.use_count() > 1 || must_mark_inherited_) detach();
    return *table_;
  }
  void detach();

  std::shared_ptr<BlockTable> table_;
  bool must_mark_inherited_ = false;
};

struct PlacedBlock {
  Address address = 0;
  Block block;
};

// The blocks of a set as they were when this was made, in order of address.
class BlocksInOrder {
 public:
  struct Page {
    Address begin;
    const BlockTable::Page* blocks;  // at least one
  };

  class Iterator {
   public:
    Iterator(const Page* page, const Block* at) : page_(page), at_(at) {}

    PlacedBlock operator*() const { return {page_->begin + at_->offset_bits, *at_}; }
    Address address() const { return page_->begin + at_->offset_bits; }
    Iterator& operator++() {
      if (++at_ != page_->blocks->data() + page_->blocks->size()) return *this;
      ++page_;
      at_ = page_->blocks != nullptr ? page_->blocks->data() : nullptr;
      return *this;
    }
    friend bool operator==(const Iterator& a, const Iterator& b) { return a.at_ == b.at_; }

   private:
    const Page* page_;
    const Block* at_;
  };

  BlocksInOrder() : BlocksInOrder(LiveSet()) {}
  explicit BlocksInOrder(const LiveSet& live);

  Iterator begin() const { return at_page(0); }
  Iterator end() const { return {&pages_.back(), nullptr}; }
  // The first block at or behind an address.
  Iterator from(Address address) const;

 private:
  Iterator at_page(std::size_t page) const {
    return {&pages_[page], pages_[page].blocks != nullptr ? pages_[page].blocks->data() : nullptr};
  }

  LiveSet live_;
  std::vector<Page> pages_;  // the last one is the end, without blocks
};

}  // namespace memswell::analysis
