// What one thread freed lately, by usable size: allocators give out again what came back last. A guess of where the
// next block of a size will be; writer and reader keep it alike.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "base/ids.h"
#include "trace/recording_format.h"

namespace memswell::trace {

inline std::uint8_t size_class_of(Bytes usable) {
  constexpr std::uint64_t kExact = disk::kSizeClasses - 16;
  const std::uint64_t steps = usable >> 4;
  if (steps < kExact) return static_cast<std::uint8_t>(steps);
  return static_cast<std::uint8_t>(kExact + (((steps * 0x9e37'79b9) >> 16) & 15));
}

class FreeLists {
 public:
  void push(std::uint8_t size_class, Address address) {
    List& list = lists_[size_class];
    list.blocks[list.top++ % kRoom] = address;
    if (list.count < disk::kFreedDepth) ++list.count;
  }

  // How many frees ago, below kFreedDepth.
  std::optional<std::uint8_t> find(std::uint8_t size_class, Address address) const {
    const List& list = lists_[size_class];
    for (std::uint8_t depth = 0; depth < list.count; ++depth) {
      if (list.blocks[(list.top - 1u - depth) % kRoom] == address) return depth;
    }
    return std::nullopt;
  }

  // The block at this depth leaves the list. 0 if there is none.
  Address take(std::uint8_t size_class, std::uint8_t depth) {
    List& list = lists_[size_class];
    if (depth >= list.count) return 0;
    std::uint32_t at = list.top - 1u - depth;
    const Address address = list.blocks[at % kRoom];
    for (; at != list.top - 1u; ++at) list.blocks[at % kRoom] = list.blocks[(at + 1) % kRoom];
    --list.top;
    --list.count;
    return address;
  }

 private:
  static constexpr std::uint32_t kRoom = 16;
  static_assert(disk::kFreedDepth <= kRoom);
  struct List {
    std::array<Address, kRoom> blocks{};
    std::uint32_t top = 0;  // where the next one goes
    std::uint32_t count = 0;
  };
  std::array<List, disk::kSizeClasses> lists_{};
};

}  // namespace memswell::trace
