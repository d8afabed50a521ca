// From overlapping address ranges to disjoint ones: at each address the range of highest precedence holds.
// Built once in O(n log n), asked in O(log n). Serves symbols, compilation units and inlined scopes alike.
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <vector>

namespace memswell::symbols {

struct Precedence {
  std::uint64_t major = 0;
  std::uint64_t minor = 0;
  friend auto operator<=>(const Precedence&, const Precedence&) = default;
};

struct AddressRange {
  std::uint64_t begin = 0;
  std::uint64_t end = 0;  // exclusive; empty and reversed ranges are ignored
  Precedence precedence;
  std::uint32_t value = 0;
};

class AddressMap {
 public:
  AddressMap() = default;
  explicit AddressMap(std::vector<AddressRange> ranges);

  std::optional<std::uint32_t> find(std::uint64_t address) const;
  bool empty() const { return segments_.empty(); }

 private:
  struct Segment {
    std::uint64_t begin;
    std::uint64_t end;
    std::uint32_t value;
  };
  void append(const Segment& segment);

  std::vector<Segment> segments_;
};

}  // namespace memswell::symbols
