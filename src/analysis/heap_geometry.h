// Where the allocator keeps its blocks, judged from addresses and sizes alone: memory contents are never read.
//
// glibc (malloc/malloc.c, arena.c, 64 bit): a chunk begins 16 bytes before its block, its own header is the last 8 of
// these, and its usable size is 8 modulo 16. A chunk with a mapping of its own has 16 bytes of header and a usable size
// that is 0 modulo 16. The main arena lies in [heap]; heaps of the other arenas begin on multiples of 64 MiB.
#pragma once

#include <tsl/robin_map.h>

#include <string_view>
#include <vector>

#include "analysis/block_table.h"
#include "analysis/live_set.h"
#include "analysis/mapped_ranges.h"
#include "base/ids.h"
#include "probes/smaps/smaps_parser.h"

namespace memswell::analysis {

enum class Allocator : std::uint8_t { glibc, other };
Allocator allocator_from(std::string_view name, std::string_view libc);

inline constexpr Bytes kChunkHeader = 8;         // glibc: of a chunk in a heap
inline constexpr Bytes kMappedChunkHeader = 16;  // glibc: of a chunk with its own mapping
inline constexpr Bytes kArenaHeapBytes = Bytes{64} << 20;

// glibc: did this block get a mapping of its own?
constexpr bool has_own_mapping(Bytes usable) { return usable % 16 == 0; }

// glibc: a block of a heap, or one whose own mapping ends with it.
constexpr bool has_shape_of_glibc(Address address, Bytes usable) {
  return address % 16 == 0 && (usable % 16 == kChunkHeader || (address + usable) % 4096 == 0);
}

// Which stretches of address space ever held a block of a heap. Cheap enough for every allocation.
class HeapHistory {
 public:
  static constexpr unsigned kGranuleBits = 22;  // 4 MiB

  void note(Address address, Bytes usable) {
    ++blocks_;
    if (!has_shape_of_glibc(address, usable)) ++misfits_;
    const std::uint64_t key = ((address >> kGranuleBits) << 1) | (has_own_mapping(usable) ? 1u : 0u);
    if (key == last_) return;
    last_ = key;
    seen_.try_emplace(key, true);
  }
  // As a fold tells it (trace::FoldedCalls).
  void note(std::uint64_t blocks, std::uint64_t misfits, const std::vector<std::uint64_t>& granules) {
    blocks_ += blocks;
    misfits_ += misfits;
    for (const std::uint64_t key : granules) seen_[key] = true;
  }
  // What came since the last call of this.
  struct News {
    std::uint64_t blocks = 0;
    std::uint64_t misfits = 0;
    std::vector<std::uint64_t> granules;  // in order
  };
  News take_news();

  // Starts of 64 MiB stretches in which a block without own mapping was; unordered.
  std::vector<Address> arena_candidates() const;
  // Nearly every block lay as glibc lays blocks.
  bool looks_like_glibc() const { return blocks_ > 0 && misfits_ * 100 <= blocks_; }
  // Did [begin, end) ever hold a block of any kind?
  bool touched(Address begin, Address end) const;
  Bytes held_bytes() const { return seen_.bucket_count() * (sizeof(std::uint64_t) * 3); }

 private:
  std::uint64_t last_ = 0;
  std::uint64_t blocks_ = 0;
  std::uint64_t misfits_ = 0;
  std::uint64_t told_blocks_ = 0;
  std::uint64_t told_misfits_ = 0;
  // Keys are far apart in some programs: by themselves they would all fall into a few places of the table.
  struct KeyHash {
    std::size_t operator()(std::uint64_t key) const noexcept { return AddressHash{}(key << 4); }
  };
  tsl::robin_map<std::uint64_t, bool, KeyHash> seen_;  // true: news
};

struct HeapExtent {
  // fenced: a piece of the main heap that the program's own sbrk ended; glibc has gone on behind it.
  enum class Kind : std::uint8_t { main, arena, other, fenced };
  Kind kind = Kind::main;
  Address begin = 0;
  Address end = 0;
};

// Heaps as they lie in these mappings, ordered, disjoint. `blocks`: the live ones.
std::vector<HeapExtent> find_heaps(Allocator allocator, const std::vector<smaps::Mapping>& mappings,
                                   const HeapHistory& history, const BlocksInOrder& blocks,
                                   const MappedRanges& mapped);

// A library that defines malloc may only pass the calls on: then the blocks tell that they are glibc's. `name`: as in a
// CaptureNote; of a library that is not known as an allocator it is the file's.
bool passes_on_to_glibc(std::string_view name, std::string_view libc, const HeapHistory& history,
                        const std::vector<smaps::Mapping>& mappings);

// Private, writable, without a name of a file.
bool is_plain_anonymous(const smaps::Mapping& mapping);

}  // namespace memswell::analysis
