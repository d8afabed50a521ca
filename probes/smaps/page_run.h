// What is known of the pages of a process: runs of neighbouring pages with the same bits. Plain data.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/ids.h"

namespace memswell::smaps {

// The values are those of trace::PageBit: this room does not know the recording, so capture asserts that they are
// equal.
enum class PageBit : std::uint32_t {
  present = 1,    // in the page tables
  zero_page = 2,  // present, but it is the kernel's shared page of zeros: not in RSS
  huge = 4,       // part of a huge page; only PAGEMAP_SCAN tells
  file = 8,       // of a file or of shared memory
  swapped = 16,
  shared = 32,  // mapped elsewhere too (after fork, say); meaningful if shared_known
  shared_known = 64,
  maybe_zero_page = 128,  // either the zero page or a page shared by fork: the source cannot tell
  written = 256,          // since write tracking was last reset; only on request
};

constexpr std::uint32_t operator|(PageBit a, PageBit b) {
  return static_cast<std::uint32_t>(a) | static_cast<std::uint32_t>(b);
}
constexpr std::uint32_t operator|(std::uint32_t bits, PageBit bit) { return bits | static_cast<std::uint32_t>(bit); }
constexpr bool has(std::uint32_t bits, PageBit bit) { return (bits & static_cast<std::uint32_t>(bit)) != 0; }

struct PageRun {
  Address begin = 0;
  Address end = 0;
  std::uint32_t bits = 0;  // PageBit

  Bytes bytes() const { return end - begin; }
  // Counted in RSS; a maybe_zero_page is not, as long as nobody has settled what it is.
  bool is_resident() const {
    return has(bits, PageBit::present) && !has(bits, PageBit::zero_page) && !has(bits, PageBit::maybe_zero_page);
  }
  friend bool operator==(const PageRun&, const PageRun&) = default;
};

// Appends, joined to the last run where bits and addresses allow it. Runs come in the order of addresses.
inline void append_run(std::vector<PageRun>& runs, const PageRun& run) {
  if (!runs.empty() && runs.back().end == run.begin && runs.back().bits == run.bits) {
    runs.back().end = run.end;
  } else {
    runs.push_back(run);
  }
}

}  // namespace memswell::smaps
