// Pages of the region that programs claim for rings, walker memory and layouts. The recorder takes them back.
#pragma once

#include <cstdint>

#include "process.h"

namespace memswell::probe {

inline constexpr std::uint32_t kNoPages = ~std::uint32_t{0};

// `count` pages in a row, zeroed, inside of what this program could map. kNoPages: none left.
std::uint32_t claim_pages(std::uint32_t count);

// Gives pages back that were never shown to the recorder.
void release_pages(std::uint32_t first, std::uint32_t count);

inline void* page_address(std::uint32_t page) {
  return reinterpret_cast<char*>(process.header) + process.header->pool_offset + page * format::kPageBytes;
}

}  // namespace memswell::probe
