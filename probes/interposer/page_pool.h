// Pages of the region that programs claim for rings, walker memory and layouts. The recorder takes them back.
#pragma once

#include <cstdint>

namespace memswell::probe {

inline constexpr std::uint32_t kNoPages = ~std::uint32_t{0};

// `count` pages in a row, zeroed, inside of what this program could map. kNoPages: none left.
std::uint32_t claim_pages(std::uint32_t count);

// Gives pages back that were never shown to the recorder.
void release_pages(std::uint32_t first, std::uint32_t count);

void* page_address(std::uint32_t page);

}  // namespace memswell::probe
