#include "analysis/live_set.h"

#include <algorithm>

namespace memswell::analysis {

LiveSet LiveSet::inherit() const {
  LiveSet child(*this);
  child.must_mark_inherited_ = true;
  return child;
}

bool LiveSet::insert(Address address, const Block& block) {
  Block* at = nullptr;
  return writable().insert(address, block, at);
}

bool LiveSet::replace(Address address, const Block& block, Block& old) {
  BlockTable& table = writable();
  Block* at = nullptr;
  if (table.insert(address, block, at)) return false;
  old = *at;
  const std::uint64_t offset = at->offset_bits;
  *at = block;
  at->offset_bits = offset & 0xfffu;
  return true;
}

bool LiveSet::set_noted(Address address) {
  Block* at = writable().find(address);
  if (at == nullptr) return false;
  at->noted = 1;
  return true;
}

void LiveSet::detach() {
  if (table_.use_count() > 1) table_ = std::make_shared<BlockTable>(*table_);
  if (!must_mark_inherited_) return;
  table_->mark_all_inherited();
  must_mark_inherited_ = false;
}

BlocksInOrder::BlocksInOrder(const LiveSet& live) : live_(live) {
  live_.table_->each_page([this](Address begin, const BlockTable::Page& blocks) { pages_.push_back({begin, &blocks}); });
  std::sort(pages_.begin(), pages_.end(), [](const Page& a, const Page& b) { return a.begin < b.begin; });
  pages_.push_back({~Address{0}, nullptr});
}

BlocksInOrder::Iterator BlocksInOrder::from(Address address) const {
  const Address page_begin = address >> BlockTable::kPageBits << BlockTable::kPageBits;
  const auto page = std::lower_bound(pages_.begin(), pages_.end() - 1, page_begin,
                                     [](const Page& at, Address wanted) { return at.begin < wanted; });
  Iterator at = at_page(static_cast<std::size_t>(page - pages_.begin()));
  while (at != end() && at.address() < address) ++at;
  return at;
}

}  // namespace memswell::analysis
