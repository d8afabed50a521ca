#include "analysis/block_table.h"

#include <algorithm>
#include <iterator>

namespace memswell::analysis {
namespace {

constexpr std::uint64_t kMax48 = (std::uint64_t{1} << 48) - 1;
constexpr Nanoseconds kMicrosecond = 1000;

constexpr std::uint64_t offset_of(Address address) { return address & ((1u << BlockTable::kPageBits) - 1); }
// A block alone on its page is common (large ones), few are not.
constexpr std::size_t room_for(std::size_t blocks) { return blocks == 0 ? 2 : blocks + blocks / 4 + 5; }

BlockTable::Page::iterator place_of(BlockTable::Page& page, std::uint64_t offset) {
  if (page.empty() || page.back().offset_bits < offset) return page.end();  // most go behind the last
  return std::lower_bound(page.begin(), page.end(), offset,
                          [](const Block& block, std::uint64_t wanted) { return block.offset_bits < wanted; });
}

}  // namespace

Block::Block(const trace::Allocation& allocation) : Block() {
  requested_bits = std::min(allocation.requested, kMax48) & kMax48;
  // Usable below requested is impossible; a recording that says so must not give a negative slack.
  usable_bits = std::min(std::max(allocation.usable, allocation.requested), kMax48) & kMax48;
  kind_bits = static_cast<std::uint64_t>(allocation.kind) & 7u;
  const std::uint64_t time = allocation.time / kMicrosecond;
  time_high = (time >> 32) & 0x7fffu;
  time_low = static_cast<std::uint32_t>(time);
  stack = allocation.stack;
}

BlockTable::Page* BlockTable::page_of(std::uint64_t number) {
  if (last_ != nullptr && last_number_ == number) return last_;
  const auto at = pages_.find(number);
  if (at == pages_.end()) return nullptr;
  last_number_ = number;
  return last_ = &at.value();
}

BlockTable::Page& BlockTable::page_for(std::uint64_t number) {
  if (Page* page = page_of(number)) return *page;
  last_number_ = number;
  last_ = &pages_.try_emplace(number).first.value();
  ++empty_;
  return *last_;
}

Block* BlockTable::find(Address address) {
  Page* page = page_of(address >> kPageBits);
  if (page == nullptr) return nullptr;
  const auto at = place_of(*page, offset_of(address));
  return at != page->end() && at->offset_bits == offset_of(address) ? &*at : nullptr;
}

void BlockTable::set_room(Page& page, std::size_t room) {
  Page moved;
  moved.reserve(room);
  moved.assign(page.begin(), page.end());
  capacity_ += moved.capacity();
  capacity_ -= std::min(capacity_, page.capacity());
  page.swap(moved);
}

bool BlockTable::insert(Address address, const Block& block, Block*& at) {
  Page& page = page_for(address >> kPageBits);
  const std::uint64_t offset = offset_of(address);
  auto place = place_of(page, offset);
  if (place != page.end() && place->offset_bits == offset) {
    at = &*place;
    return false;
  }
  if (page.empty()) --empty_;
  if (page.size() == page.capacity()) {
    const auto index = place - page.begin();
    set_room(page, room_for(page.size()));
    place = page.begin() + index;
  }
  place = page.insert(place, block);
  place->offset_bits = offset & 0xfffu;
  at = &*place;
  ++size_;
  return true;
}

bool BlockTable::take(Address address, Block& block) {
  Page* page = page_of(address >> kPageBits);
  if (page == nullptr) return false;
  const auto at = place_of(*page, offset_of(address));
  if (at == page->end() || at->offset_bits != offset_of(address)) return false;
  block = *at;
  page->erase(at);
  --size_;
  constexpr std::size_t kSmall = 8;
  if (page->capacity() > kSmall && page->size() < page->capacity() / 4) set_room(*page, room_for(page->size()));
  if (page->empty()) {
    constexpr std::size_t kMostEmpty = 1024;
    if (++empty_ > kMostEmpty && empty_ > pages_.size() / 2) sweep();
  }
  return true;
}

// Drops the pages without blocks: memory follows what is live, not every page that ever was.
void BlockTable::sweep() {
  Directory kept;
  kept.max_load_factor(pages_.max_load_factor());
  kept.reserve(pages_.size() - empty_);
  for (auto at = pages_.begin(); at != pages_.end(); ++at) {
    if (at->second.empty()) {
      capacity_ -= std::min(capacity_, at->second.capacity());
    } else {
      kept.insert({at->first, std::move(at.value())});
    }
  }
  pages_ = std::move(kept);
  empty_ = 0;
  last_ = nullptr;
}

void BlockTable::mark_all_inherited() {
  for (auto at = pages_.begin(); at != pages_.end(); ++at) {
    for (Block& block : at.value()) block.inherited = 1;
  }
}

Bytes BlockTable::held_bytes() const {
  constexpr Bytes kHeapHeader = 16;  // of a page's blocks, with rounding
  constexpr Bytes kBucket = sizeof(Directory::value_type) + 8;
  return capacity_ * sizeof(Block) + pages_.size() * kHeapHeader + pages_.bucket_count() * kBucket;
}

}  // namespace memswell::analysis
