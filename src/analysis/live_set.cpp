#include "analysis/live_set.h"

#include <algorithm>

namespace memswell::analysis {
namespace {

constexpr std::uint64_t kMax48 = (std::uint64_t{1} << 48) - 1;
constexpr Nanoseconds kMicrosecond = 1000;

}  // namespace

Block::Block(const trace::Allocation& allocation) : Block() {
  requested_bits = std::min(allocation.requested, kMax48) & kMax48;
  // Usable below requested is impossible; a recording that says so must not give a negative slack.
  usable_bits = std::min(std::max(allocation.usable, allocation.requested), kMax48) & kMax48;
  kind_bits = static_cast<std::uint64_t>(allocation.kind) & 7u;
  const std::uint64_t time = allocation.time / kMicrosecond;
  time_high = (time >> 32) & 0xffffu;
  time_low = static_cast<std::uint32_t>(time);
  stack = allocation.stack;
}

LiveSet LiveSet::inherit() const {
  LiveSet child;
  child.table_ = table_;
  child.must_mark_inherited_ = true;
  return child;
}

const Block* LiveSet::find(Address address) const {
  const auto at = table_->find(address);
  return at == table_->end() ? nullptr : &at->second;
}

bool LiveSet::replace(Address address, const Block& block, Block& old) {
  const auto [at, inserted] = writable().insert({address, block});
  if (inserted) return false;
  old = at->second;
  at.value() = block;
  return true;
}

bool LiveSet::take(Address address, Block& block) {
  Table& table = writable();
  const std::size_t hash = AddressHash{}(address);
  const auto at = table.find(address, hash);
  if (at == table.end()) return false;
  block = at->second;
  // By key: erase(iterator) searches the next entry, which is far in a table that has emptied.
  table.erase(address, hash);
  return true;
}

bool LiveSet::set_noted(Address address) {
  Table& table = writable();
  const auto at = table.find(address);
  if (at == table.end()) return false;
  at.value().noted = 1;
  return true;
}

void LiveSet::detach() {
  if (table_.use_count() > 1) table_ = std::make_shared<Table>(*table_);
  if (!must_mark_inherited_) return;
  for (auto at = table_->begin(); at != table_->end(); ++at) at.value().inherited = 1;
  must_mark_inherited_ = false;
}

}  // namespace memswell::analysis
