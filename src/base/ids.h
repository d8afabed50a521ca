// Typed numbers: a StackId is not a ModuleId, nanoseconds are not bytes.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <functional>

namespace memswell {

template <class Tag>
struct Id {
  std::uint32_t value = 0;

  friend constexpr auto operator<=>(Id, Id) = default;
};

using ProcessIndex = Id<struct ProcessTag>;  // one image of one process in a recording, not a pid
using StackId = Id<struct StackTag>;         // a node of the stack trie; 0 is the empty stack
using ModuleId = Id<struct ModuleTag>;       // 0: no module (generated code, marks)
using ThreadIndex = Id<struct ThreadTag>;    // one thread of a recording, not a tid

using Address = std::uint64_t;      // in the recorded program
using Bytes = std::uint64_t;
using Nanoseconds = std::uint64_t;  // since the recording began, CLOCK_MONOTONIC

}  // namespace memswell

template <class Tag>
struct std::hash<memswell::Id<Tag>> {
  std::size_t operator()(memswell::Id<Tag> id) const noexcept { return std::hash<std::uint32_t>{}(id.value); }
};
