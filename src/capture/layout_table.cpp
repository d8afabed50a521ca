#include "capture/layout_table.h"

#include <algorithm>

namespace memswell::capture {
namespace {

constexpr std::uint64_t kHeaderPages = (sizeof(format::LayoutHeader) + format::kPageBytes - 1) / format::kPageBytes;

// (page number + 1) << 8 | log2 of the entries
void free_rules(const Region& region, std::uint32_t table) {
  const std::uint32_t page_plus_one = table >> 8;
  const std::uint32_t log2 = table & 0xff;
  if (page_plus_one == 0 || log2 > 24) return;
  const Bytes bytes = (std::uint64_t{1} << log2) * sizeof(format::RuleEntry);
  region.free_pool_pages(page_plus_one - 1, (bytes + format::kPageBytes - 1) / format::kPageBytes);
}

}  // namespace

LayoutTable::LayoutTable(const Region& region, ModuleTable& modules, FrameTable& frames)
    : region_(region),
      modules_(modules),
      frames_(frames),
      empty_header_(std::make_unique<format::LayoutHeader>()),
      none_(*empty_header_, "", modules, frames) {}

Layout* LayoutTable::open(std::uint64_t page_plus_one, const std::string& executable) {
  if (page_plus_one == 0 || page_plus_one > format::kPoolPages) return nullptr;
  const auto page = static_cast<std::uint32_t>(page_plus_one - 1);
  Entry& entry = layouts_[page];
  if (entry.layout == nullptr) {
    const auto* header = region_.pool_object<format::LayoutHeader>(page);
    if (header == nullptr) {
      layouts_.erase(page);
      return nullptr;
    }
    entry.layout = std::make_unique<Layout>(*header, executable, modules_, frames_);
  }
  return entry.layout.get();
}

bool LayoutTable::still_unquiet(std::uint32_t ring_index) const {
  const format::RingSlot& ring = region_.ring(ring_index);
  if (ring.state.load(std::memory_order_acquire) != format::SlotState::live) return false;
  return ring.in_hook.load(std::memory_order_acquire) != 0 ||
         ring.head.load(std::memory_order_acquire) != ring.tail.load(std::memory_order_relaxed);
}

void LayoutTable::retire(const std::vector<std::unique_ptr<Ring>>& rings) {
  for (auto place = layouts_.begin(); place != layouts_.end();) {
    auto& [page, entry] = *place;
    const auto& header = *region_.pool_object<format::LayoutHeader>(page);
    if (header.users.load(std::memory_order_acquire) != 0) {
      entry.over = false;
      ++place;
      continue;
    }
    if (!entry.over) {
      entry.over = true;
      entry.unquiet.clear();
      for (const auto& ring : rings)
        if (ring != nullptr) entry.unquiet.push_back(ring->index);
    }
    std::erase_if(entry.unquiet, [this](std::uint32_t index) { return !still_unquiet(index); });
    if (!entry.unquiet.empty()) {
      ++place;
      continue;
    }
    // A quiet ring names its layout anew before it uses another one.
    for (const auto& ring : rings)
      if (ring != nullptr && ring->layout == entry.layout.get()) ring->layout = &none_;
    free_pages(page, header);
    place = layouts_.erase(place);
  }
}

void LayoutTable::free_pages(std::uint32_t page, const format::LayoutHeader& header) const {
  free_rules(region_, header.rules.load(std::memory_order_acquire));
  constexpr auto kMost = static_cast<std::uint32_t>(std::size(decltype(header.retired){}));
  const std::uint32_t retired = std::min(header.retired_count.load(std::memory_order_acquire), kMost);
  for (std::uint32_t i = 0; i < retired; ++i) free_rules(region_, header.retired[i].load(std::memory_order_relaxed));
  region_.free_pool_pages(page, kHeaderPages);
}

void LayoutTable::drop_user(std::uint64_t page_plus_one) {
  if (page_plus_one == 0) return;
  auto* header = region_.pool_object<format::LayoutHeader>(page_plus_one - 1);
  if (header == nullptr) return;
  std::uint32_t users = header->users.load(std::memory_order_relaxed);
  while (users > 0 && !header->users.compare_exchange_weak(users, users - 1, std::memory_order_acq_rel)) {
  }
}

}  // namespace memswell::capture
