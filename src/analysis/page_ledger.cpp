#include "analysis/page_ledger.h"

#include <algorithm>
#include <map>

#include "analysis/heap_gaps.h"
#include "analysis/residency.h"

namespace memswell::analysis {
namespace {

constexpr Bytes kPage = 4096;
constexpr std::size_t kMostSites = 300;  // shares kept of a snapshot, the largest ones
constexpr std::size_t kMostFiles = 200;

// Resident bytes cut at the borders of zones, and how many of each zone live blocks have taken.
class ZoneBooks {
 public:
  ZoneBooks(const std::vector<Zone>& zones, const RangeSet& resident) : resident_(zones.size()), used_(zones.size()) {
    std::size_t zone = 0;
    for (const AddressRange& range : resident.ranges()) {
      while (zone < zones.size() && zones[zone].end <= range.begin) ++zone;
      for (std::size_t z = zone; z < zones.size() && zones[z].begin < range.end; ++z) {
        const Address begin = std::max(range.begin, zones[z].begin);
        const Address end = std::min(range.end, zones[z].end);
        if (begin >= end) continue;
        segments_.push_back({begin, end, z});
        resident_[z] += end - begin;
      }
    }
  }

  // Resident bytes of [begin, end), now taken by a live block. Ranges come in order.
  Bytes take(Address begin, Address end) {
    while (at_ < segments_.size() && segments_[at_].end <= begin) ++at_;
    Bytes sum = 0;
    for (std::size_t i = at_; i < segments_.size() && segments_[i].begin < end; ++i) {
      const Bytes bytes = std::min(end, segments_[i].end) - std::max(begin, segments_[i].begin);
      used_[segments_[i].zone] += bytes;
      sum += bytes;
    }
    return sum;
  }

  Bytes resident(std::size_t zone) const { return resident_[zone]; }
  Bytes rest(std::size_t zone) const { return resident_[zone] - used_[zone]; }

 private:
  struct Segment {
    Address begin;
    Address end;
    std::size_t zone;
  };
  std::vector<Segment> segments_;
  std::vector<Bytes> resident_, used_;
  std::size_t at_ = 0;
};

struct PoolPiece {
  Address begin;
  Address end;
  std::uint64_t time_us;
};

class Join {
 public:
  explicit Join(const PageLedgerInput& input) : input_(input), residency_(residency_of(*input.pages, *input.mappings)) {
    space_.mappings = input.mappings;
    space_.own = input.pages->own;
    space_.mapped = &input.mapped->ranges();
    space_.heaps = find_heaps(input.allocator, *input.mappings, *input.history, input.blocks, *input.mapped);
    zones_ = cut_zones(space_, tops());
    heap_live_.resize(space_.heaps.size());
  }

  LedgerSnapshot make() {
    for (std::size_t i = 0; i < kOwners; ++i) snapshot_.rows.push_back({static_cast<Owner>(i), 0});
    ZoneBooks books(zones_, residency_.resident);
    place_pool_notes();
    for (const PlacedBlock placed : input_.blocks) place(placed, books);
    place_rest(books);
    if (input_.allocator == Allocator::glibc) place_gaps();
    sum_up();
    return std::move(snapshot_);
  }

 private:
  Bytes& row(Owner owner) { return snapshot_.rows[static_cast<std::size_t>(owner)].bytes; }
  SiteShare& share(SiteIndex site) {
    if (site.value >= shares_.size()) shares_.resize(std::max<std::size_t>(site.value + 1, shares_.size() * 2));
    shares_[site.value].site = site;
    return shares_[site.value];
  }
  SiteIndex site_of(StackId stack) const { return input_.sites->site_of(stack); }

  std::vector<bool> tops() {
    std::vector<bool> resident;
    for (const smaps::Mapping& mapping : *input_.mappings) {
      resident.push_back(residency_.resident.overlap(mapping.end - kPage, mapping.end) > 0);
    }
    return resident;
  }

  void place_pool_notes();
  void place(const PlacedBlock& placed, ZoneBooks& books);
  Address chunk_begin(const PlacedBlock& placed) const;
  bool is_older_than_phase(const PlacedBlock& placed) const;
  Bytes idle_inside(const PlacedBlock& placed, Address begin, Address end);
  void note_heap(const PlacedBlock& placed, Bytes live);
  void place_rest(const ZoneBooks& books);
  void place_file(const Zone& zone, Bytes bytes);
  void place_mapped(const Zone& zone, Bytes bytes);
  void place_heap_rest(const Zone& zone, const ZoneBooks& books, std::size_t index);
  void place_gaps();
  void note_pieces(const GapFigures& gaps);
  void ask_what_if();
  void sum_up();

  const PageLedgerInput& input_;
  Residency residency_;
  AddressSpace space_;
  std::vector<Zone> zones_;
  LedgerSnapshot snapshot_;
  std::vector<SiteShare> shares_;
  std::vector<Bytes> returned_directly_;  // by site: resident bytes of blocks with a mapping of their own
  std::vector<PoolPiece> pool_;
  std::size_t pool_at_ = 0;
  std::vector<ArenaRow> heap_live_;
  std::map<std::string, FileRow> files_;
  Address placed_to_ = 0;
  Bytes huge_live_ = 0;
};

void Join::place_pool_notes() {
  if (input_.pool == nullptr) return;
  for (const auto& [address, note] : *input_.pool) pool_.push_back({address, address + note.bytes, note.time_us});
  std::sort(pool_.begin(), pool_.end(), [](const PoolPiece& a, const PoolPiece& b) { return a.begin < b.begin; });
}

// Where the bookkeeping of a block begins.
Address Join::chunk_begin(const PlacedBlock& placed) const {
  if (input_.allocator != Allocator::glibc) return placed.address;
  if (!has_own_mapping(placed.block.usable())) return placed.address - kChunkHeader;
  // From the page on: an aligned block may lie deeper in its mapping.
  return (placed.address - kMappedChunkHeader) / kPage * kPage;
}

// A block that came since can lie on pages that nobody has written yet: that is no sign of idleness.
bool Join::is_older_than_phase(const PlacedBlock& placed) const {
  constexpr Nanoseconds kMicrosecond = 1000;
  return residency_.writes_known && input_.writes_since &&
         placed.block.time_us() < *input_.writes_since / kMicrosecond;
}

// Resident bytes of the live part that are parked on the program's own free list.
Bytes Join::idle_inside(const PlacedBlock& placed, Address begin, Address end) {
  while (pool_at_ < pool_.size() && pool_[pool_at_].end <= begin) ++pool_at_;
  Bytes idle = 0;
  Address from = begin;
  for (std::size_t i = pool_at_; i < pool_.size() && pool_[i].begin < end; ++i) {
    const bool older_than_block = pool_[i].time_us < placed.block.time_us();
    if (older_than_block) continue;  // it was about a block that has gone
    from = std::max(from, pool_[i].begin);
    const Address to = std::min(end, pool_[i].end);
    idle += residency_.resident.overlap(from, to);
    from = std::max(from, to);
  }
  return idle;
}

void Join::place(const PlacedBlock& placed, ZoneBooks& books) {
  const Bytes requested = placed.block.requested();
  const Address end_of_request = placed.address + requested;
  const Address end = placed.address + placed.block.usable();
  // Blocks that overlap are impossible; in a damaged recording the first keeps the bytes.
  const Address header = std::max(chunk_begin(placed), placed_to_);
  const Address begin = std::max(placed.address, placed_to_);
  if (end <= begin) return;
  if (header < begin) row(Owner::heap_headers) += books.take(header, begin);
  const Bytes live = books.take(begin, std::max(begin, end_of_request));
  const Bytes slack = books.take(std::max(begin, end_of_request), end);
  const Bytes idle = pool_.empty() ? 0 : std::min(live, idle_inside(placed, begin, end_of_request));
  row(Owner::pool_idle) += idle;
  row(Owner::heap_live) += live - idle;
  row(Owner::heap_slack) += slack;
  placed_to_ = end;

  const Bytes elsewhere =
      residency_.zero.overlap(begin, end_of_request) + residency_.swapped.overlap(begin, end_of_request);
  SiteShare& mine = share(site_of(placed.block.stack));
  mine.live_bytes += requested;
  ++mine.live_blocks;
  mine.resident_bytes += live;
  mine.slack_bytes += slack;
  mine.untouched_bytes += requested - std::min(requested, live + elsewhere);
  snapshot_.live_bytes += requested;
  snapshot_.usable_bytes += placed.block.usable();
  ++snapshot_.live_blocks;
  if (residency_.huge.bytes() > 0) {
    const Bytes huge = residency_.huge.overlap(header, end);
    huge_live_ += huge;
    mine.huge_bytes += huge;
  }
  if (is_older_than_phase(placed)) mine.idle_bytes += residency_.idle.overlap(begin, end_of_request);
  if (placed.block.noted && input_.used != nullptr) {
    const auto used = input_.used->find(placed.address);
    if (used != input_.used->end()) mine.overallocated_bytes += requested - std::min(requested, used->second);
  }
  note_heap(placed, live);
}

void Join::note_heap(const PlacedBlock& placed, Bytes live) {
  if (input_.allocator == Allocator::glibc && has_own_mapping(placed.block.usable())) {
    const SiteIndex site = site_of(placed.block.stack);
    if (site.value >= returned_directly_.size()) returned_directly_.resize(site.value + 1);
    returned_directly_[site.value] += live;
    return;
  }
  const auto after = std::upper_bound(space_.heaps.begin(), space_.heaps.end(), placed.address,
                                      [](Address a, const HeapExtent& heap) { return a < heap.begin; });
  if (after == space_.heaps.begin()) return;
  ArenaRow& arena = heap_live_[static_cast<std::size_t>(after - space_.heaps.begin()) - 1];
  arena.live_bytes += live;
  ++arena.live_blocks;
  arena.highest_site = site_of(placed.block.stack);  // blocks come in order
}

void Join::place_file(const Zone& zone, Bytes bytes) {
  const smaps::Mapping& mapping = (*input_.mappings)[zone.mapping];
  FileRow& file = files_[zone.file];
  file.path = zone.file;
  const Bytes dirty = std::min(bytes, mapping.private_dirty_bytes + mapping.shared_dirty_bytes);
  file.dirty_bytes += dirty;
  file.copied_bytes += std::min(dirty, mapping.anonymous_bytes);
  file.clean_bytes += bytes - dirty;
}

void Join::place_mapped(const Zone& zone, Bytes bytes) {
  SiteShare& mine = share(site_of(zone.stack));
  mine.mapped_bytes += bytes;
  mine.mapped_size_bytes += zone.end - zone.begin;
  if (residency_.huge.bytes() > 0) mine.huge_bytes += residency_.huge.overlap(zone.begin, zone.end);
  if (input_.writes_since) mine.idle_bytes += residency_.idle.overlap(zone.begin, zone.end);
}

void Join::place_heap_rest(const Zone& zone, const ZoneBooks& books, std::size_t index) {
  ArenaRow& arena = heap_live_[zone.heap];
  arena.resident_bytes += books.resident(index);
  arena.free_bytes += books.rest(index);
  // glibc's is told apart gap by gap later; of others no more is known than that it is kept.
  if (input_.allocator != Allocator::glibc) row(Owner::heap_cached) += books.rest(index);
}

void Join::place_rest(const ZoneBooks& books) {
  for (std::size_t i = 0; i < zones_.size(); ++i) {
    const Zone& zone = zones_[i];
    const Bytes rest = books.rest(i);
    if (zone.kind == Zone::Kind::own) {
      snapshot_.own_bytes += books.resident(i);
      continue;
    }
    if (zone.kind == Zone::Kind::heap) {
      place_heap_rest(zone, books, i);
      continue;
    }
    const bool main_stack = (*input_.mappings)[zone.mapping].name.starts_with("[stack");
    if (zone.owner == Owner::stacks && !main_stack) {
      ++snapshot_.thread_stacks;
      snapshot_.thread_stack_reserved_bytes += zone.end - zone.begin;
    }
    if (zone.stack.value != 0) place_mapped(zone, rest);
    row(zone.owner) += rest;
    if (zone.owner == Owner::files && rest > 0) place_file(zone, rest);
  }
}

void Join::place_gaps() {
  const auto site = [this](StackId stack) { return site_of(stack); };
  const auto give = [this](SiteIndex index, Bytes bytes) { share(index).pinned_bytes += bytes; };
  for (std::size_t i = 0; i < space_.heaps.size(); ++i) {
    const HeapExtent& heap = space_.heaps[i];
    const GapFigures gaps = measure_gaps(heap, input_.blocks, residency_.resident);
    row(Owner::heap_trimmable) += gaps.trimmable_bytes;
    row(Owner::heap_pinned) += gaps.pinned_bytes;
    // Whatever the zone has besides (first pages, memory that an own range took out) stays with the allocator.
    const Bytes told_apart = gaps.trimmable_bytes + gaps.pinned_bytes;
    row(Owner::heap_cached) += heap_live_[i].free_bytes - std::min(heap_live_[i].free_bytes, told_apart);
    snapshot_.top_bytes += gaps.top_bytes;
    note_pieces(gaps);
    heap_live_[i].trimmable_bytes = gaps.trimmable_bytes;
    share_pinned(heap, input_.blocks, residency_.resident, site, give);
  }
  ask_what_if();
}

void Join::note_pieces(const GapFigures& gaps) {
  snapshot_.free_pieces += gaps.pieces;
  if (gaps.largest_piece_bytes <= snapshot_.largest_piece_bytes) return;
  snapshot_.largest_piece_bytes = gaps.largest_piece_bytes;
  snapshot_.piece_holder.reset();
  if (!gaps.holder) return;
  snapshot_.piece_holder = site_of(gaps.holder->block.stack);
  snapshot_.piece_holder_bytes = gaps.holder->block.requested();
}

void Join::ask_what_if() {
  std::vector<SiteIndex> asked;
  for (const SiteShare& mine : shares_) {
    if (mine.pinned_bytes > 0) asked.push_back(mine.site);
  }
  const std::size_t count = std::min(asked.size(), input_.what_if_sites);
  std::partial_sort(
      asked.begin(), asked.begin() + static_cast<std::ptrdiff_t>(count), asked.end(),
      [this](SiteIndex a, SiteIndex b) { return shares_[a.value].pinned_bytes > shares_[b.value].pinned_bytes; });
  asked.resize(count);
  std::vector<WithoutSite> without(count);
  for (const HeapExtent& heap : space_.heaps) {
    const std::vector<WithoutSite> here = trimmable_without(
        heap, input_.blocks, asked, [this](StackId stack) { return site_of(stack); }, residency_.resident);
    for (std::size_t i = 0; i < count; ++i) {
      without[i].trimmable_bytes += here[i].trimmable_bytes;
      without[i].thread_cache_bytes += here[i].thread_cache_bytes;
    }
  }
  for (std::size_t i = 0; i < count; ++i) {
    SiteShare& mine = shares_[asked[i].value];
    const Bytes direct = asked[i].value < returned_directly_.size() ? returned_directly_[asked[i].value] : 0;
    const Bytes trimmable = without[i].trimmable_bytes;
    const Bytes more = trimmable - std::min(trimmable, row(Owner::heap_trimmable));
    mine.returns_bytes = more + direct;
    mine.returns_bound_bytes = std::min(more, without[i].thread_cache_bytes);
    mine.returns_known = true;
  }
}

void Join::sum_up() {
  Bytes rows = 0;
  for (const LedgerRow& line : snapshot_.rows) rows += line.bytes;
  for (const smaps::Mapping& mapping : *input_.mappings) {
    if (!mapping.is_user_space()) continue;
    snapshot_.smaps_rss_bytes += mapping.rss_bytes;
    snapshot_.beside.swapped_bytes += mapping.swap_bytes;
    snapshot_.beside.lazily_freed_bytes += mapping.lazy_free_bytes;
  }
  snapshot_.difference_bytes =
      static_cast<std::int64_t>(snapshot_.smaps_rss_bytes) - static_cast<std::int64_t>(rows + snapshot_.own_bytes);
  snapshot_.rss_bytes = snapshot_.smaps_rss_bytes - std::min(snapshot_.smaps_rss_bytes, snapshot_.own_bytes);
  snapshot_.beside.zero_read_bytes = residency_.zero.bytes();
  if (residency_.writes_known) snapshot_.idle_since_ns = input_.writes_since;
  snapshot_.ambiguous_bytes = residency_.ambiguous_bytes;
  snapshot_.heap_exact = input_.allocator == Allocator::glibc && residency_.ambiguous_bytes == 0;
  snapshot_.page_bytes_returnable = row(Owner::heap_trimmable);

  Bytes huge_heap = 0;
  for (std::size_t i = 0; i < space_.heaps.size(); ++i) {
    heap_live_[i].begin = space_.heaps[i].begin;
    heap_live_[i].end = space_.heaps[i].end;
    heap_live_[i].main =
        space_.heaps[i].kind == HeapExtent::Kind::main || space_.heaps[i].kind == HeapExtent::Kind::fenced;
    huge_heap += residency_.huge.overlap(space_.heaps[i].begin, space_.heaps[i].end);
  }
  snapshot_.beside.huge_rounding_bytes = huge_heap - std::min(huge_heap, huge_live_);
  snapshot_.arenas = std::move(heap_live_);

  for (SiteShare& mine : shares_) {
    snapshot_.beside.untouched_bytes += mine.untouched_bytes;
    snapshot_.beside.overallocated_bytes += mine.overallocated_bytes;
    snapshot_.beside.idle_bytes += mine.idle_bytes;
    if (mine.live_blocks + mine.mapped_size_bytes > 0) snapshot_.sites.push_back(mine);
  }
  std::sort(snapshot_.sites.begin(), snapshot_.sites.end(), [](const SiteShare& a, const SiteShare& b) {
    return a.resident_bytes + a.pinned_bytes + a.mapped_bytes > b.resident_bytes + b.pinned_bytes + b.mapped_bytes;
  });
  if (snapshot_.sites.size() > kMostSites) snapshot_.sites.resize(kMostSites);
  for (auto& [path, file] : files_) snapshot_.files.push_back(std::move(file));
  std::stable_sort(snapshot_.files.begin(), snapshot_.files.end(), [](const FileRow& a, const FileRow& b) {
    return a.clean_bytes + a.dirty_bytes > b.clean_bytes + b.dirty_bytes;
  });
  if (snapshot_.files.size() > kMostFiles) snapshot_.files.resize(kMostFiles);
}

}  // namespace

LedgerSnapshot make_page_ledger(const PageLedgerInput& input) { return Join(input).make(); }

}  // namespace memswell::analysis
